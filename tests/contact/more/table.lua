model "table"
local g = param("g", 9.81)
local e = param("e", 0.3)
local A = param("A", 0.02)
local om = param("om", 32)
local h = param("h", 0.05)

local y = coordinate("y", {start = h})
mass(y, 1)
force(y, -g)
contact {gap = y - A * sin(om * t), restitution = e, rest = true, name = "table", charge = {blow = impulse("table")}}
cost("y_end", {final = y}) cost("blow")
cost("push", {integral = multiplier("table")^2})
horizon(0, 0.8)
