model "corner"
local b = param("b", 1.2)
local e = param("e", 0.5)
local mu = param("mu", 0.2)
local u0 = param("u0", 2.5)
local d = param("d", 0.6)

local x, y = coordinate("x", {start = d, speed = -u0}), coordinate("y")
mass(x, 1) mass(y, 1)
force(y, -9.81)
contact {gap = y, slip = dot(x), friction = mu, start = "closed", restitution = e, name = "floor"}
contact {gap = sin(b) * x - cos(b) * y, slip = cos(b) * dot(x) + sin(b) * dot(y), friction = mu, restitution = e, name = "wall",
  charge = {blow = impulse("wall")}}
cost("x_end", {final = x}) cost("y_end", {final = y}) cost("blow")
horizon(0, 0.62)
