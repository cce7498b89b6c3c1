-- The double pendulum of double_pendulum_angles.lua as two points on two rods: four coordinates, two
-- constraints, within which the impact acts.
model "double pendulum, in points"

local g      = param("g", 9.81, {unit = "m/s^2", fixed = true})
local m1, m2 = param("m1", 1.0, {unit = "kg"}), param("m2", 0.6, {unit = "kg"})
local l1, l2 = param("l1", 1.0, {unit = "m"}), param("l2", 0.8, {unit = "m"})
local a1, a2 = param("a1", -0.8, {unit = "rad"}), param("a2", -0.3, {unit = "rad"})
local w1     = param("w1", 0.4, {unit = "rad/s", doc = "speed of the upper rod at the start"})
local d      = param("d", 0.5, {unit = "m", doc = "where the wall is"})
local e      = param("e", 0.8, {doc = "restitution"})

-- The horizontal positions are given, the heights are assembled.
gravity(0, -g)
local x1, vx1 = l1 * sin(a1), l1 * cos(a1) * w1
local P1 = point("P1", {x = x1, guess = {-0.7, -0.7}, speed = {vx1}})
local P2 = point("P2", {x = x1 + l2 * sin(a2), guess = {-0.9, -1.4}, speed = {vx1}})
mass(P1, m1)
mass(P2, m2)
rod {ground_point(0, 0), P1, length = l1, name = "upper"}
rod {P1, P2, length = l2, name = "lower"}

event("wall", {when = d - P2.x, direction = "falling", restitution = e,
               charge = {impulse = impulse("wall")}})

cost("impulse", {unit = "N s", doc = "all the wall received"})
cost("rough",   {integral = ddot(P2.x)^2 + ddot(P2.y)^2, unit = "m^2/s^3"})
cost("sway",    {integral = P1.x^2 + P2.x^2, unit = "m^2 s"})
cost("tip",     {final = P2.x, unit = "m"})
horizon(0, 2)

draw.line {{d, -2}, {d, 0.2}, style = "ground"}
