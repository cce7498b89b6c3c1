model "chatter"
local e = param("e", 0.4)
local A = param("A", 0.02)
local w = param("w", 25)

local y = coordinate("y", {start = 0.05})
mass(y, 1)
force(y, -9.81)
contact {gap = y - A * sin(w * t), restitution = e, rest = true, name = "table"}
cost("y", {final = y}) cost("v", {final = dot(y)}) cost("i", {integral = y^2})
horizon(0, 1)
