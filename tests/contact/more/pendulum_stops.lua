model "pendulum_stops"
local m = param("m", 1)
local l = param("l", 0.8)
local M = param("M", 0.9)
local th0 = param("th0", 1.2)
local d = param("d", 0.05)

local th = coordinate("th", {start = th0})
mass(th, m * l^2)
force(th, -m * 9.81 * l * sin(th) - d * dot(th))
friction {th, limit = M, name = "hinge"}
cost("th_end", {final = th})
cost("hold", {integral = multiplier("hinge")^2})
horizon(0, 6)
