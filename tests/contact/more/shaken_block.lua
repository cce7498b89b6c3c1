model "shaken_block"
local B = param("B", 0.1)
local H = param("H", 0.4)
local th0 = param("th0", 0.12)
local A = param("A", 0.8)
local om = param("om", 9)
local g = param("g", 9.81)

local th = coordinate("th", {start = -th0})
local x = coordinate("x", {start = -B * cos(th0) + H * sin(th0)})
local y = coordinate("y", {start = B * sin(th0) + H * cos(th0)})
mass(x, 1) mass(y, 1) mass(th, (B^2 + H^2) / 3)
force(y, -g) force(x, -A * sin(om * t)) -- seen from the base
local rx, ry = x + B * cos(th) + H * sin(th), y + B * sin(th) - H * cos(th)
local lx, ly = x - B * cos(th) + H * sin(th), y - B * sin(th) - H * cos(th)
contact {gap = ry, slip = dot(rx), friction = 2, start = "closed", name = "right"}
contact {gap = ly, slip = dot(lx), friction = 2, name = "left"}
cost("th_end", {final = th}) cost("w_end", {final = dot(th)})
cost("press", {integral = multiplier("right")^2 + multiplier("left.friction")^2})
horizon(0, 1.6)
