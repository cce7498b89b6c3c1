model "zeno_slope"
local g = param("g", 9.81)
local b = param("b", 0.25)
local e = param("e", 0.6)
local mu = param("mu", 0.3)
local h = param("h", 0.4)
local u0 = param("u0", 7)

local x, y = coordinate("x", {speed = u0}), coordinate("y", {start = h})
mass(x, 2) mass(y, 2)
force(x, -2 * g * sin(b)) force(y, -2 * g * cos(b))
contact {gap = y, slip = dot(x), friction = mu, restitution = e, rest = true, name = "slope",
  charge = {blow = impulse("slope"), rub = impulse("slope.friction")}}
cost("blow") cost("rub")
cost("x_end", {final = x})
cost("int_x", {integral = x})
horizon(0, 3)
