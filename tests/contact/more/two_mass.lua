model "two_mass"
local k1 = param("k1", 30)
local k2 = param("k2", 25)
local v = param("v", 0.15)
local mus = param("mus", 0.45)
local muk = param("muk", 0.3)
local m2 = param("m2", 1.4)
local d = param("d", 0.2)

local x1, x2, y1, y2 = coordinate("x1", {speed = v}), coordinate("x2", {speed = v, start = 0.12}), coordinate "y1", coordinate "y2"
mass(x1, 1) mass(x2, m2) mass(y1, 1) mass(y2, m2)
force(y1, -9.81) force(y2, -9.81 * m2)
potential(0.5 * k1 * x1^2 + 0.5 * k2 * (x2 - x1)^2)
force(x1, -d * dot(x1))
contact {gap = y1, slip = dot(x1) - v, friction = {static = mus, kinetic = muk}, start = "closed", name = "a"}
contact {gap = y2, slip = dot(x2) - v, friction = {static = mus, kinetic = muk}, start = "closed", name = "b"}
cost("x1", {final = x1}) cost("x2", {final = x2}) cost("v2", {final = dot(x2)})
cost("heat", {integral = multiplier("a.friction") * (dot(x1) - v) + multiplier("b.friction") * (dot(x2) - v)})
horizon(0, 3.5)
