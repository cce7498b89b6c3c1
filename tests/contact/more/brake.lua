model "brake"
local Fs = param("Fs", 2)
local Fk = param("Fk", 1.2)
local ws = param("ws", 0.7)
local w0 = param("w0", 5)
local A = param("A", 2.6)

local a = coordinate("a", {speed = w0})
mass(a, 1)
force(a, A * sin(2 * t))
friction {a, limit = {static = Fs, kinetic = Fk + (Fs - Fk) * exp(-(dot(a) / ws)^2)}, name = "shoe"}
cost("a", {final = a}) cost("w", {final = dot(a)}) cost("e", {integral = dot(a)^2})
horizon(0, 6)
