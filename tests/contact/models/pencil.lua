model "pencil on a rough floor"
local g, l, mu, th0 = param("g", 9.81), param("l", 1), param("mu", 0.3), param("th0", 0.05)
local x = coordinate("x", {start = 0})
local y = coordinate("y", {start = 0})
local th = coordinate("th", {start = th0})
-- the foot is at (x, y), th from the vertical
local cx, cy = x + 0.5 * l * sin(th), y + 0.5 * l * cos(th)
mass(cx, 1)
mass(cy, 1)
mass(th, l^2 / 12)
potential(g * cy)
contact {gap = y, slip = dot(x), friction = mu, start = "closed", name = "foot"}
cost("th_end", {final = th})
horizon(0, 0.8)
