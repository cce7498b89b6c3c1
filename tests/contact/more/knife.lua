model "knife"
local g = param("g", 9.81)
local b = param("b", 0.3)
local w0 = param("w0", 2)
local u0 = param("u0", 0.7)

local x, y, th = coordinate("x", {speed = u0}), coordinate("y"), coordinate("th", {speed = w0})
mass(x, 1) mass(y, 1) mass(th, 0.3)
force(x, g * sin(b))
rolling("edge", sin(th) * dot(x) - cos(th) * dot(y))
cost("x_end", {final = x}) cost("y_end", {final = y})
cost("side", {integral = multiplier("edge")^2})
horizon(0, 3)
