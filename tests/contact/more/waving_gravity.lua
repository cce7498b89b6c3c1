model "waving_gravity"
local e = param("e", 0.5)
local b = param("b", 0.4)
local w = param("w", 9)
local mu = param("mu", 0.2)
local h = param("h", 0.7)

local y, x = coordinate("y", {start = h}), coordinate("x", {speed = 5})
mass(y, 1) mass(x, 1)
force(y, -9.81 * (1 + b * sin(w * t)))
contact {gap = y, slip = dot(x), friction = mu, restitution = e, name = "floor"}
cost("x", {final = x}) cost("v", {final = dot(x)}) cost("i", {integral = y})
horizon(0, 2)
