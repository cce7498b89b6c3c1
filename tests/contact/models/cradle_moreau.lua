model "three balls, two of which touch"
local m1, m2, m3 = param("m1", 1), param("m2", 1.5), param("m3", 1)
local e, v = param("e", 0.9), param("v", 1)
local x1 = coordinate("x1", {start = -1, speed = v})
local x2, x3 = coordinate "x2", coordinate "x3"
mass(x1, m1)
mass(x2, m2)
mass(x3, m3)
contact {gap = x2 - x1, restitution = e, name = "12"}
contact {gap = x3 - x2, restitution = e, name = "23"}
cost("u1", {final = dot(x1)})
cost("w2", {final = dot(x2)})
cost("w3", {final = dot(x3)})
horizon(0, 1.2)
