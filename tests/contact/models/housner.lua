model "Housner's rocking block"
local g, B, H, th0 = param("g", 9.81), param("B", 0.1), param("H", 0.4), param("th0", 0.15)
-- half width B, half height H; the block stands on its right corner, turned clockwise
local th = coordinate("th", {start = -th0})
local x = coordinate("x", {start = -B * cos(th0) + H * sin(th0)})
local y = coordinate("y", {start = B * sin(th0) + H * cos(th0)})
mass(x, 1)
mass(y, 1)
mass(th, (B^2 + H^2) / 3)
force(y, -g)
local rx, ry = x + B * cos(th) + H * sin(th), y + B * sin(th) - H * cos(th)
local lx, ly = x - B * cos(th) + H * sin(th), y - B * sin(th) - H * cos(th)
contact {gap = ry, slip = dot(rx), friction = 1, start = "closed", name = "right"}
contact {gap = ly, slip = dot(lx), friction = 1, name = "left"}
cost("th_end", {final = th})
horizon(0, 1.5)
