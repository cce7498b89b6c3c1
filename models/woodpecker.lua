-- The woodpecker toy: a sleeve with a hole a little too wide for its pole, a bird on a spring. The sleeve jams, the
-- bird swings, its beak hits the pole, the sleeve comes free and slides down a little. After the first pecks the
-- motion repeats itself every 0.146 s. Parameters by Glocker; impacts of three contacts with friction.
model "woodpecker"

local mu = param("mu", 0.3, {doc = "friction of all three contacts"})
local e  = param("e", 0.5, {doc = "restitution of the beak"})
local c  = param("c", 0.0056, {unit = "N m/rad", doc = "stiffness of the spring"})
local g  = param("g", 9.81, {unit = "m/s^2"})
local mM, JM, mS, JS = 0.0003, 5e-9, 0.0045, 7e-7         -- sleeve and bird: masses and inertias
local r0, rM, hM = 0.0025, 0.0031, 0.0058                 -- radii of pole and hole, half the height of the sleeve
local lM, lG, hS, lS = 0.010, 0.015, 0.02, 0.0201         -- sleeve to spring, spring to bird, bird to beak

local y = coordinate("y", {speed = -0.3411, unit = "m", doc = "height of the sleeve"})
local pM = coordinate("phiM", {start = (r0 - rM) / hM, unit = "rad", doc = "tilt of the sleeve"})
local pS = coordinate("phiS", {start = -0.2788, speed = -7.4583, unit = "rad", doc = "tilt of the bird"})

-- Small angles: all masses move along the pole.
mass(y, mM)
mass(pM, JM)
mass(pS, JS)
mass(y + lM * pM + lG * pS, mS)
potential((mM + mS) * g * y + mS * g * (lM * pM + lG * pS) + 0.5 * c * (pM - pS)^2)

contact {gap = lM + lG - lS - r0 - hS * pS, slip = dot(y) + lM * dot(pM) + (lG - lS) * dot(pS), friction = mu,
         restitution = e, rest = true, name = "beak"}
contact {gap = rM - r0 + hM * pM, slip = dot(y) + rM * dot(pM), friction = mu, start = "closed", name = "lower"}
contact {gap = rM - r0 - hM * pM, slip = dot(y) + rM * dot(pM), friction = mu, name = "upper"}

cost("fall", {final = y, unit = "m", doc = "how far it has come down"})
cost("swing", {final = pS, unit = "rad"})
cost("shake", {integral = dot(pS)^2, unit = "rad^2/s"})
horizon(0, 0.6)

local function turned(x0, y0, angle, x, h)
  return {x0 + x * cos(angle) - h * sin(angle), y0 + x * sin(angle) + h * cos(angle)}
end
local function sleeve(x, h) return turned(0, y, pM, x, h) end
local spring = sleeve(lM, 0)
local function bird(x, h) return turned(spring[1], spring[2], pS, x, h) end
for _, side in ipairs {-1, 1} do
  draw.line {{side * r0, -0.05}, {side * r0, 0.05}}
  draw.line {sleeve(side * rM, -hM), sleeve(side * rM, hM), style = "bar"}
end
draw.line {spring, bird(lG, 0), bird(lG - 0.7 * lS, hS), bird(lG - lS, hS), style = "bar"}
draw.line {bird(lG, 0), bird(lG + 0.01, -0.02)}
