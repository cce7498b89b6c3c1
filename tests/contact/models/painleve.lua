model "Painleve's rod"
local mu = param("mu", 1.5)
local g, l, v = param("g", 9.81, {fixed = true}), 1, param("v", 3)
-- the foot is at (x, y), th from the horizontal
local x = coordinate("x", {start = 0, speed = -v})
local y = coordinate("y", {start = 0})
local th = coordinate("th", {start = 0.7, speed = 4})
local cx, cy = x - 0.5 * l * cos(th), y + 0.5 * l * sin(th)
mass(cx, 1)
mass(cy, 1)
mass(th, l^2 / 12)
potential(g * cy)
contact {gap = y, slip = dot(x), friction = mu, start = "closed", name = "foot"}
cost("th_end", {final = th})
horizon(0, 1)
