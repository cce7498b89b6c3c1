model "wedge"
local mu = param("mu", 0.2)
local mf = param("mf", 0.08)
local al = param("al", 0.7)
local M = param("M", 2)
local u0 = param("u0", 1)

local X, Y = coordinate "X", coordinate "Y"
local x, y = coordinate("x", {speed = u0 * cos(al)}), coordinate("y", {speed = u0 * sin(al)})
mass(X, M) mass(Y, M) mass(x, 1) mass(y, 1)
force(X, -3 * X) force(Y, -M * 9.81) force(y, -9.81)
local c, s = cos(al), sin(al)
contact {gap = Y, slip = dot(X), friction = mf, start = "closed", name = "floor"}
contact {gap = (y - Y) * c - (x - X) * s, slip = (dot(x) - dot(X)) * c + (dot(y) - dot(Y)) * s, friction = mu,
         start = "closed", name = "slope"}
cost("X", {final = X}) cost("x", {final = x}) cost("v", {final = dot(x)}) cost("i", {integral = X^2})
horizon(0, 2)
