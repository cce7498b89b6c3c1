model "superball"
local g = param("g", 9.81)
local r = param("r", 0.05)
local J = param("J", 0.0012)
local m = param("m", 1)
local e = param("e", 0.7)
local mu = param("mu", 0.25)
local h = param("h", 1)
local u0 = param("u0", 3)
local w0 = param("w0", -20)

local x, y, th = coordinate("x", {speed = u0}), coordinate("y", {start = h}), coordinate("th", {speed = w0})
mass(x, m) mass(y, m) mass(th, J)
force(y, -m * g)
contact {gap = y, slip = dot(x) + r * dot(th), friction = mu, restitution = e, rest = true, name = "floor",
  charge = {rub = impulse("floor.friction")^2}}
cost("u", {final = dot(x)}) cost("w", {final = dot(th)}) cost("x_end", {final = x}) cost("rub")
cost("y_end", {final = y})
horizon(0, 2.2)
