model "stribeck_period"
local m = param("m", 1.2)
local k = param("k", 30)
local u = param("u", 0.12)
local mu0 = param("mu0", 0.2)
local dmu = param("dmu", 0.25)
local vs = param("vs", 0.06)
local d = param("d", 0.3)
local u0 = param("u0", -0.2)

local x, y = coordinate("x", {start = 0.05, speed = u0}), coordinate "y"
mass(x, m) mass(y, m)
force(x, -k * x - d * dot(x)) force(y, -m * 9.81)
local s = dot(x) - u
contact {gap = y, slip = s, friction = mu0 + dmu * exp(-(s / vs)^2), start = "closed", name = "belt"}
event("section", {when = x - 0.05, direction = "falling", stop = 1})
periodic {[u0] = dot(x)}
horizon(0, 4)
