model "painleve_rod"
local mu = param("mu", 0.6)
local u0 = param("u0", 0.8)
local th0 = param("th0", 1.1)
local w0 = param("w0", 0.3)
local g = param("g", 9.81)

local x, y, th = coordinate("x", {speed = u0 - 0.5 * sin(th0) * w0}), coordinate("y", {guess = 0.5 * sin(th0)}), coordinate("th", {start = th0, speed = w0})
mass(x, 1) mass(y, 1) mass(th, 1/12)
force(y, -g)
-- the rod goes up from its foot, th from the horizontal; centre at foot + (cos, sin)/2
local fx, fy = x - 0.5 * cos(th), y - 0.5 * sin(th)
contact {gap = fy, slip = dot(fx), friction = mu, start = "closed", name = "foot"}
cost("th_end", {final = th}) cost("x_end", {final = x})
cost("press", {integral = multiplier("foot")^2})
horizon(0, 0.5)
