model "train"
local F = param("F", 6)
local mu = param("mu", 0.3)
local e = param("e", 0.2)
local u = param("u", 4)

local a, b, c = coordinate("a", {speed = u}), coordinate("b", {start = 0.5}), coordinate("c", {start = 1})
mass(a, 1) mass(b, 2) mass(c, 1)
force(a, F * cos(2 * t))
friction {a, limit = mu * 9.81, name = "A"}
friction {b, limit = mu * 2 * 9.81, name = "B"}
friction {c, limit = mu * 9.81, name = "C"}
contact {gap = b - a, restitution = e, rest = true, name = "ab"}
contact {gap = c - b, restitution = e, rest = true, name = "bc"}
cost("a", {final = a}) cost("b", {final = b}) cost("c", {final = c}) cost("i", {integral = dot(a)^2})
horizon(0, 4)
