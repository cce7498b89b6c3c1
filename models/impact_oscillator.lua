-- A mass on a spring, driven by a force, beside a wall that it hits once per cycle. The run is one
-- cycle of the force. `saltus periodic impact_oscillator.lua --along F=0.3:0.6:0.02` begins where the
-- wall is far away, and names where it is only just touched: there, multipliers jump.
model "impact oscillator"

local F  = param("F", 0.55, {unit = "N", doc = "amplitude of the force"})
local w  = param("w", 0.7, {unit = "rad/s", doc = "its frequency"})
local c  = param("c", 0.2, {unit = "N s/m", doc = "damping"})
local d  = param("d", 1.0, {unit = "m", doc = "distance of the wall"})
local r  = param("r", 0.8, {doc = "restitution"})
local x0 = param("x0", 0.95, {unit = "m"})
local v0 = param("v0", 0.28, {unit = "m/s"})

local x = coordinate("x", {start = x0, speed = v0, unit = "m"})
mass(x, 1)
force(x, F * cos(w * t) - x - c * dot(x))
event("wall", {when = d - x, direction = "falling", restitution = r})
periodic {[x0] = x, [v0] = dot(x)}

cost("power", {integral = w / (2 * math.pi) * F * cos(w * t) * dot(x), unit = "W",
               doc = "of the force, on average"})
horizon(0, 2 * math.pi / w)

draw.line {{d + 0.1, -0.3}, {d + 0.1, 0.3}, style = "ground"}
draw.line {{-2, 0}, {x, 0}, style = "spring"}
draw.circle {{x, 0}, radius = 0.1}
