model "stribeck_cycle"
local m = param("m", 1.2)
local k = param("k", 30)
local v = param("v", 0.12)
local mu0 = param("mu0", 0.2)
local dmu = param("dmu", 0.25)
local vs = param("vs", 0.06)
local d = param("d", 0.3)

local x, y = coordinate "x", coordinate "y"
mass(x, m) mass(y, m)
force(x, -k * x - d * dot(x)) force(y, -m * 9.81)
local s = dot(x) - v
contact {gap = y, slip = s, friction = mu0 + dmu * exp(-(s / vs)^2), start = "closed", name = "belt"}
cost("x_end", {final = x}) cost("v_end", {final = dot(x)})
cost("heat", {integral = multiplier("belt.friction") * s})
horizon(0, 4)
