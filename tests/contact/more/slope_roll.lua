model "slope_roll"
local g = param("g", 9.81)
local b = param("b", 0.3)
local mu = param("mu", 0.2)
local J = param("J", 0.4)
local r = param("r", 1)
local w0 = param("w0", -3)
local u0 = param("u0", 0.5)

local x, y, th = coordinate("x", {speed = u0}), coordinate("y"), coordinate("th", {speed = w0})
mass(x, 1) mass(y, 1) mass(th, J)
force(x, g * sin(b)) force(y, -g * cos(b))
contact {gap = y, slip = dot(x) - r * dot(th), friction = mu, start = "closed", name = "slope"}
cost("x_end", {final = x}) cost("spin", {final = dot(th)})
cost("grip", {integral = multiplier("slope.friction")^2})
horizon(0, 2)
