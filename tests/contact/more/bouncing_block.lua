model "bouncing_block"
local e = param("e", 0.6)
local tilt = param("tilt", 0.05)
local a = param("a", 0.3)
local h = 0.5

local x, y, th = coordinate("x", {speed = 0.4}), coordinate("y", {start = 0.7}), coordinate("th", {start = tilt, speed = 0.3})
mass(x, 1) mass(y, 1) mass(th, (a^2 + h^2) / 3)
force(y, -9.81)
contact {gap = y - a * sin(th) - h * cos(th), restitution = e, rest = true, name = "left"}
contact {gap = y + a * sin(th) - h * cos(th), restitution = e, rest = true, name = "right"}
cost("height", {integral = y}) cost("sway", {integral = th^2}) cost("path", {integral = dot(x) * y}) cost("place", {final = x})
horizon(0, 2)
