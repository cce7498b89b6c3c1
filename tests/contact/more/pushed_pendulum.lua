model "pushed_pendulum"
local e = param("e", 0.5)
local F = param("F", 0.3)
local A = param("A", 14)
local w = param("w", 2.5)

local th = coordinate "th"
mass(th, 1)
potential(-9.81 * cos(th))
force(th, A * sin(w * t))
friction {th, limit = F, name = "pin"}
contact {gap = th + 0.2, restitution = e, rest = true, name = "wall"}
cost("th", {final = th}) cost("w", {final = dot(th)}) cost("i", {integral = th})
horizon(0, 4)
