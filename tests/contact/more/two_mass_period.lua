model "two_mass_period"
local k1 = param("k1", 30)
local k2 = param("k2", 25)
local u = param("u", 0.15)
local mus = param("mus", 0.45)
local muk = param("muk", 0.3)
local m2 = param("m2", 1.4)
local d = param("d", 0.2)
local x20 = param("x20", 0.4037)
local u1 = param("u1", -0.427)
local u2 = param("u2", -0.1992)

local x1, x2 = coordinate("x1", {start = 0.24, speed = u1}), coordinate("x2", {start = x20, speed = u2})
local y1, y2 = coordinate "y1", coordinate "y2"
mass(x1, 1) mass(x2, m2) mass(y1, 1) mass(y2, m2)
force(x1, -d * dot(x1)) force(y1, -9.81) force(y2, -9.81 * m2)
potential(0.5 * k1 * x1^2 + 0.5 * k2 * (x2 - x1)^2)
contact {gap = y1, slip = dot(x1) - u, friction = {static = mus, kinetic = muk}, start = "closed", name = "a"}
contact {gap = y2, slip = dot(x2) - u, friction = {static = mus, kinetic = muk}, start = "closed", name = "b"}
event("section", {when = x1 - 0.24, direction = "falling", stop = 1})
periodic {[x20] = x2, [u1] = dot(x1), [u2] = dot(x2)}
horizon(0, 6)
