model "clutch_slip"
local J1 = param("J1", 0.5)
local J2 = param("J2", 0.8)
local w1 = param("w1", 100)
local F0 = param("F0", 60)
local Fd = param("Fd", 25)
local M = param("M", 9)
local L = param("L", 30)
local Om = param("Om", 1.3)

local a, b = coordinate("a", {speed = w1}), coordinate("b")
mass(a, J1) mass(b, J2)
force(a, M) force(b, -L * sin(Om * t))
friction {a - b, limit = F0 * (1 - exp(-Fd * t / 10)) * (1 - 0.3 * t), name = "clutch"}
cost("wa", {final = dot(a)}) cost("wb", {final = dot(b)})
cost("heat", {integral = multiplier("clutch") * (dot(a) - dot(b))})
cost("hold", {integral = multiplier("clutch")^2})
horizon(0, 3)
