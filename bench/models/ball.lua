-- A ball that hits the floor a thousand times.
model "ball, a thousand impacts"

local g, e = param("g", 9.81), param("e", 0.999)
local h = param("h", 1)
local y = coordinate("y", {start = h})
mass(y, 1)
force(y, -g)
event("floor", {when = y, direction = "falling", set = {[dot(y)] = -e * dot(y)}})
cost("cost", {integral = dot(y)^2})
horizon(0, 570.7)
