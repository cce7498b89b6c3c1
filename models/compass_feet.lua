-- The walker of compass_angles.lua with a hip that is free in the plane: one foot is held to the ground
-- by constraints, and a step is a change of constraints. The model says nothing about the impact.
-- legs = "modes": the left or the right foot stands; legs = "swap": the first leg always stands, and
-- they exchange their names.
model "compass walker, with feet"

local mH    = param("mH", 10, {unit = "kg", doc = "mass of the hip"})
local m     = param("m", 5, {unit = "kg", doc = "mass of a leg"})
local a     = param("a", 0.5, {unit = "m", doc = "from the foot to the mass of the leg"})
local b     = param("b", 0.5, {unit = "m", doc = "from there to the hip"})
local slope = param("slope", math.rad(3), {unit = "rad"})
local th0   = param("th0", 0.2187, {unit = "rad", doc = "angle of the standing leg at the start"})
local w1    = param("w1", -1.0918, {unit = "rad/s", doc = "speed of the standing leg"})
local w2    = param("w2", -0.3772, {unit = "rad/s", doc = "speed of the swinging leg"})
local g, l  = 9.81, a + b

local x   = coordinate("x", {guess = -0.2, unit = "m"}) -- of the hip
local y   = coordinate("y", {guess = 1, unit = "m"})
local th1 = coordinate("th1", {start = th0, speed = w1, unit = "rad"})
local th2 = coordinate("th2", {start = -2 * slope - th0, speed = w2, unit = "rad"})
local px, py = memory("px", 0), memory("py", 0) -- where the standing foot is

local function on_leg(th, s) return {x = x + s * sin(th), y = y - s * cos(th)} end
local function energy(mass, P) return 0.5 * mass * (dot(P.x)^2 + dot(P.y)^2) end
local leg1, leg2 = on_leg(th1, b), on_leg(th2, b)
local T = energy(mH, {x = x, y = y}) + energy(m, leg1) + energy(m, leg2)
kinetic(T)
potential(g * (mH * y + m * leg1.y + m * leg2.y))

-- The foot also goes through the ground as it passes the other leg: that does not count.
local function step(name, foot, options)
  options.when = foot.y * cos(slope) + foot.x * sin(slope)
  options.direction, options.where = "falling", foot.x - px - 0.2 * l
  options.set = options.set or {}
  options.set[px], options.set[py] = foot.x, foot.y
  options.charge = {lost = before(T) - after(T)}
  event(name, options)
end

local function stands(name, foot, options)
  constraint(name .. ".x", foot.x - px, options)
  constraint(name .. ".y", foot.y - py, options)
end

local foot1, foot2 = on_leg(th1, l), on_leg(th2, l)
if setting("legs", "modes") == "modes" then
  local left, right = mode "left", mode "right"
  stands("left foot", foot1, {mode = left})
  stands("right foot", foot2, {mode = right})
  step("left foot lands", foot1, {from = right, to = left})
  step("right foot lands", foot2, {from = left, to = right})
else
  stands("foot", foot1)
  step("step", foot2, {set = {[th1] = th2, [th2] = th1}})
end

cost("lost",     {unit = "J", doc = "energy lost at the impacts"})
cost("swing",    {integral = (dot(th1) - dot(th2))^2, unit = "rad^2/s"})
cost("rough",    {integral = ddot(x)^2 + ddot(y)^2, unit = "m^2/s^3"})
cost("distance", {final = x, unit = "m"})
horizon(0, 2.5)

draw.line {{-0.6, 0.6 * tan(slope)}, {2.4, -2.4 * tan(slope)}, style = "ground"}
draw.line {{foot1.x, foot1.y}, {x, y}, style = "bar"}
draw.line {{foot2.x, foot2.y}, {x, y}, style = "rod"}
draw.circle {{x, y}, radius = 0.06}
draw.trace {{x, y}}
