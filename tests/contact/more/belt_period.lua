model "belt_period"
local m = param("m", 1)
local k = param("k", 40)
local u = param("u", 0.1)
local mus = param("mus", 0.4)
local muk = param("muk", 0.25)
local u0 = param("u0", -0.2)

local x, y = coordinate("x", {start = 0.05, speed = u0}), coordinate "y"
mass(x, m) mass(y, m)
force(x, -k * x) force(y, -m * 9.81)
contact {gap = y, slip = dot(x) - u, friction = {static = mus, kinetic = muk}, start = "closed", name = "belt"}
event("section", {when = x - 0.05, direction = "falling", stop = 1})
periodic {[u0] = dot(x)}
horizon(0, 4)
