model "a ball comes to rest"
local g, e, h = param("g", 9.81), param("e", 0.7), param("h", 1)
local y = coordinate("y", {start = h})
mass(y, 1)
force(y, -g)
contact {gap = y, restitution = e, rest = true, name = "floor", charge = {impulse = impulse("floor")}}
cost("int_y", {integral = y})
cost("int_v2", {integral = dot(y)^2})
cost("impulse")
horizon(0, 4)
