model "drawer_clearance"
local mu = param("mu", 0.25)
local F = param("F", 3)
local b = param("b", 0.12)
local L = param("L", 0.2)
local c = param("c", 0.01)

local x, y, th = coordinate "x", coordinate "y", coordinate "th"
mass(x, 2) mass(y, 2) mass(th, 0.03)
force(x, F * exp(-t) - 0.5 * dot(x)) force(y, -2 * y) force(th, F * b * exp(-t))
contact {gap = c - (y + L * th), slip = dot(x), friction = mu, name = "front"}
contact {gap = c + (y - L * th), slip = dot(x), friction = mu, name = "rear"}
cost("way", {final = x}) cost("rate", {final = dot(x)}) cost("turn", {integral = th^2})
horizon(0, 1.5)
