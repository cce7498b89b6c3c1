-- A double pendulum in two angles, whose tip hits a wall. double_pendulum_points.lua is the same
-- mechanism in points and rods: the same costs, the same gradients.
model "double pendulum, in angles"

local g      = param("g", 9.81, {unit = "m/s^2", fixed = true})
local m1, m2 = param("m1", 1.0, {unit = "kg"}), param("m2", 0.6, {unit = "kg"})
local l1, l2 = param("l1", 1.0, {unit = "m"}), param("l2", 0.8, {unit = "m"})
local a1, a2 = param("a1", -0.8, {unit = "rad"}), param("a2", -0.3, {unit = "rad"})
local w1     = param("w1", 0.4, {unit = "rad/s", doc = "speed of the upper rod at the start"})
local d      = param("d", 0.5, {unit = "m", doc = "where the wall is"})
local e      = param("e", 0.8, {doc = "restitution"})

local th1 = coordinate("th1", {start = a1, speed = w1, unit = "rad"})
local th2 = coordinate("th2", {start = a2, unit = "rad"})
local P1 = {x = l1 * sin(th1), y = -l1 * cos(th1)}
local P2 = {x = P1.x + l2 * sin(th2), y = P1.y - l2 * cos(th2)}
kinetic(0.5 * m1 * (dot(P1.x)^2 + dot(P1.y)^2) + 0.5 * m2 * (dot(P2.x)^2 + dot(P2.y)^2))
potential(m1 * g * P1.y + m2 * g * P2.y)

event("wall", {when = d - P2.x, direction = "falling", restitution = e,
               charge = {impulse = impulse("wall")}})

cost("impulse", {unit = "N s", doc = "all the wall received"})
cost("rough",   {integral = ddot(P2.x)^2 + ddot(P2.y)^2, unit = "m^2/s^3"})
cost("sway",    {integral = P1.x^2 + P2.x^2, unit = "m^2 s"})
cost("tip",     {final = P2.x, unit = "m"})
horizon(0, 2)

draw.line {{d, -2}, {d, 0.2}, style = "ground"}
draw.line {{0, 0}, {P1.x, P1.y}, {P2.x, P2.y}, style = "rod"}
draw.circle {{P1.x, P1.y}, radius = 0.05}
draw.circle {{P2.x, P2.y}, radius = 0.04}
draw.trace {{P2.x, P2.y}}
