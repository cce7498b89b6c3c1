model "belt_cycle"
local m = param("m", 1)
local k = param("k", 40)
local v = param("v", 0.1)
local mus = param("mus", 0.4)
local muk = param("muk", 0.25)
local g = param("g", 9.81)

local x, y = coordinate "x", coordinate "y"
mass(x, m) mass(y, m)
force(x, -k * x) force(y, -m * g)
contact {gap = y, slip = dot(x) - v, friction = {static = mus, kinetic = muk}, start = "closed", name = "belt"}
cost("x_end", {final = x}) cost("v_end", {final = dot(x)})
cost("work", {integral = multiplier("belt.friction") * v})
cost("slip2", {integral = (dot(x) - v)^2})
horizon(0, 6)
