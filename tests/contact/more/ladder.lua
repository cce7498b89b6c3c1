model "ladder"
local L = param("L", 2)
local mw = param("mw", 0.2)
local mf = param("mf", 0.3)
local th0 = param("th0", 0.6)
local g = param("g", 9.81)

-- th: from the wall; slides from rest
local x, y, th = coordinate("x", {guess = L / 2 * sin(th0)}), coordinate("y", {guess = L / 2 * cos(th0)}), coordinate("th", {start = th0})
mass(x, 1) mass(y, 1) mass(th, L^2 / 12)
force(y, -g)
local bx, by = x + L / 2 * sin(th), y - L / 2 * cos(th)
local tx, ty = x - L / 2 * sin(th), y + L / 2 * cos(th)
contact {gap = by, slip = dot(bx), friction = mf, start = "closed", name = "floor"}
contact {gap = tx, slip = dot(ty), friction = mw, start = "closed", name = "wall"}
cost("th_end", {final = th}) cost("x_end", {final = x}) cost("w_end", {final = dot(th)})
cost("heat", {integral = multiplier("floor.friction") * dot(bx) + multiplier("wall.friction") * dot(ty)})
horizon(0, 1.25)
