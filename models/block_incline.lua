-- A block is pushed up an incline with dry friction. It slides up, stops, sticks until the incline, which is
-- tilted slowly, is too steep, and then slides down.
model "block on an incline"

local g  = param("g", 9.81, {unit = "m/s^2"})
local m  = param("m", 2, {unit = "kg"})
local ms = param("ms", 0.6, {doc = "friction while it sticks", lower = 0})
local mk = param("mk", 0.5, {doc = "friction while it slides", lower = 0})
local b  = param("b", 0.4, {unit = "rad", doc = "slope at the start"})
local w  = param("w", 0.1, {unit = "rad/s", doc = "how fast it is tilted"})
local u0 = param("u0", 3, {unit = "m/s", doc = "speed at the start, up the slope"})

-- Along the incline and away from it. It is tilted so slowly that only its slope matters, not its motion.
local x = coordinate("x", {speed = u0, unit = "m"})
local y = coordinate("y", {unit = "m"})
mass(x, m)
mass(y, m)
local slope = b + w * t
force(x, -m * g * sin(slope))
force(y, -m * g * cos(slope))

contact {gap = y, slip = dot(x), friction = {static = ms, kinetic = mk}, start = "closed", name = "slope"}

cost("x_end", {final = x, unit = "m"})
cost("speed", {final = dot(x), unit = "m/s"})
cost("heat",  {integral = multiplier("slope.friction") * dot(x), unit = "J"})
output("reaction", -multiplier("slope"), {unit = "N"})
output("friction", -multiplier("slope.friction"), {unit = "N"})
horizon(0, 2.5)

-- Drawn along the incline.
local function at(u, v) return {u * cos(slope) - v * sin(slope), u * sin(slope) + v * cos(slope)} end
draw.line {at(-1, 0), at(1.5, 0), style = "ground"}
draw.line {at(x - 0.1, y), at(x + 0.1, y), at(x + 0.1, y + 0.15), at(x - 0.1, y + 0.15), at(x - 0.1, y)}
