-- A door with a ball catch. It swings shut, the ball in its edge meets a round strike, is pressed in against its
-- spring, rubs over the strike and snaps out behind it. The seal stops the door, pushes it back, and the catch holds.
model "door with a latch"

local w0 = param("w0", 0.7, {unit = "rad/s", doc = "how fast it is closed"})
local k  = param("k", 4000, {unit = "N/m", doc = "stiffness of the spring behind the ball"})
local f  = param("f", 15, {unit = "N", doc = "its preload"})
local mu = param("mu", 0.15, {doc = "friction of ball and strike"})
local ks = param("ks", 400, {unit = "N m", doc = "stiffness of the seal"})
local cs = param("cs", 40, {unit = "N m s", doc = "damping of the seal"})
local J  = param("J", 4, {unit = "kg m^2", doc = "of the door about its hinges"})
local m, l, r, R = 0.02, 0.8, 0.008, 0.01 -- of the ball; to its place in the edge; radii of ball and strike
local seal, strike = 0.03, 0.025          -- angles at which the seal and the strike are
local over = 0.005                        -- how far the ball reaches over the strike

local phi = coordinate("phi", {start = 0.15, speed = -w0, unit = "rad"})
local s = coordinate("s", {unit = "m", doc = "the ball, out of the edge"})
local C = ground_point((l + s) * cos(phi), (l + s) * sin(phi))
local D = ground_point((l + r + R - over) * math.cos(strike), (l + r + R - over) * math.sin(strike))
mass(phi, J)
mass(C.x, m)
mass(C.y, m)
potential(0.5 * k * s^2 - f * s)
force(phi, -0.4 * dot(phi))

-- The seal: a soft stop, no contact.
local free, pressed = mode "free", mode "pressed"
force(phi, ks * (seal - phi) - cs * dot(phi), {mode = pressed})
event("seal", {from = free, to = pressed, when = phi - seal, direction = "falling"})
event("off", {from = pressed, to = free, when = phi - seal, direction = "rising"})

contact {gap = -s, start = "closed", name = "edge"}
contact {C, circle = {D, radius = r + R}, friction = mu, name = "strike", charge = {click = impulse("strike")}}

cost("angle", {final = phi, unit = "rad", doc = "where it ends"})
cost("click", {unit = "N s", doc = "all the strike received in impacts"})
cost("load",  {integral = multiplier("strike")^2, unit = "N^2 s"})
horizon(0, 0.65)

draw.line {{0, 0}, {l * cos(phi), l * sin(phi)}, style = "bar"}
draw.circle {C, radius = r, angle = phi}
draw.circle {D, radius = R}
