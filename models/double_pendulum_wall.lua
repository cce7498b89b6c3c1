-- A double pendulum in two angles whose tip hits a wall: one impulse changes both velocities.
model "double pendulum and a wall"

local g  = param("g", 9.81, {unit = "m/s^2", fixed = true})
local m1, m2 = param("m1", 1.0, {unit = "kg"}), param("m2", 0.6, {unit = "kg"})
local l1, l2 = param("l1", 1.0, {unit = "m"}), param("l2", 0.8, {unit = "m"})
local d = param("d", 0.5, {unit = "m", doc = "where the wall is"})
local e = param("e", 0.8, {doc = "restitution", lower = 0, upper = 1})

local th1 = coordinate("th1", {start = -0.8, unit = "rad"})
local th2 = coordinate("th2", {start = -0.3, unit = "rad"})

-- Positions of the two masses; dot() of them are their velocities.
local x1, y1 = l1 * sin(th1), -l1 * cos(th1)
local x2, y2 = x1 + l2 * sin(th2), y1 - l2 * cos(th2)
kinetic(0.5 * m1 * (dot(x1)^2 + dot(y1)^2))
kinetic(0.5 * m2 * (dot(x2)^2 + dot(y2)^2))
potential(m1 * g * y1 + m2 * g * y2)
dissipation(0.05 * dot(th1)^2 + 0.05 * dot(th2 - th1)^2)

event("wall", {when = d - x2, direction = "falling", restitution = e,
               charge = {impulse = impulse("wall")}})

output("tip.x", x2, {unit = "m"})
output("tip.y", y2, {unit = "m"})

cost("impulse", {unit = "N s", doc = "all the wall received"})
cost("swing", {integral = th1^2 + th2^2})
cost("tip", {final = x2, unit = "m"})
horizon(0, 3)

draw.line {{d, -2}, {d, 0.2}, style = "ground"}
draw.line {{0, 0}, {x1, y1}, {x2, y2}, style = "rod"}
draw.circle {{x1, y1}, radius = 0.05}
draw.circle {{x2, y2}, radius = 0.04}
draw.trace {{x2, y2}}
