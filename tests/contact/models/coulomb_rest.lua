model "mass and spring with dry friction"
local m, k, mu = param("m", 1), param("k", 50), param("mu", 0.25)
local g, x0 = param("g", 9.81), param("x0", 0.43)
local x = coordinate("x", {start = x0})
mass(x, m)
force(x, -k * x)
friction {x, limit = mu * m * g, name = "pad"}
cost("x_rest", {final = x})
horizon(0, 3)
