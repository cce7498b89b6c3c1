model "incline"
local g, mu, b, u0 = param("g", 9.81), param("mu", 0.6), param("b", 0.4), param("u0", 3)
local x = coordinate("x", {start = 0, speed = u0})
local y = coordinate("y", {start = 0, speed = 0})
mass(x, 1) mass(y, 1)
force(x, -g*sin(b)) force(y, -g*cos(b))
contact {gap = y, slip = dot(x), friction = mu, start = "closed", name = "c"}
cost("x_end", {final = x})
horizon(0, 2)
