model "capsule"
local M = param("M", 1)
local m = param("m", 0.6)
local A = param("A", 0.05)
local om = param("om", 14)
local mu = param("mu", 0.25)
local beta = param("beta", 0.5)

local x, y = coordinate "x", coordinate "y"
local s = A * (sin(om * t) + beta * 0.5 * sin(2 * om * t))
mass(x, M) mass(x + s, m) mass(y, M + m)
force(y, -9.81 * (M + m))
contact {gap = y, slip = dot(x), friction = mu, start = "closed", name = "floor"}
cost("x_end", {final = x}) cost("heat", {integral = multiplier("floor.friction") * dot(x)})
horizon(0, 1.5)
