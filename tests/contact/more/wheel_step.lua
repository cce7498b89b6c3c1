model "wheel_step"
local r = param("r", 0.3)
local h = param("h", 0.04)
local J = param("J", 0.03)
local m = param("m", 1)
local u0 = param("u0", 1.6)
local g = param("g", 9.81)
local mu = param("mu", 0.9)

local x, y, th = coordinate("x", {start = -1, speed = u0}), coordinate("y", {start = r}), coordinate("th", {speed = -u0 / r})
mass(x, m) mass(y, m) mass(th, J)
force(y, -m * g)
contact {gap = y - r, slip = dot(x) + r * dot(th), friction = mu, start = "closed", name = "floor", where = -x}
local dist = sqrt(x^2 + (y - h)^2)
contact {gap = dist - r, slip = (dot(x) * (y - h) - dot(y) * x) / dist + r * dot(th), friction = mu, name = "edge", where = -x}
cost("x_end", {final = x}) cost("w_end", {final = dot(th)}) cost("y_end", {final = y})
horizon(0, 0.63)
