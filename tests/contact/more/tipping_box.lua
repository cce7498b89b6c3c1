model "tipping_box"
local a = param("a", 0.2)
local h = param("h", 0.3)
local F = param("F", 4)
local mu = param("mu", 0.9)
local T0 = param("T0", 0.25)

local x, y, th = coordinate "x", coordinate("y", {start = h}), coordinate "th"
mass(x, 1) mass(y, 1) mass(th, (a^2 + h^2) / 3)
local push = F * (t / T0)^2 * exp(1 - (t / T0)^4)
force(x, push) force(y, -9.81) force(th, -push * h)
contact {gap = y - a * sin(th) - h * cos(th), start = "closed", name = "left"}
contact {gap = y + a * sin(th) - h * cos(th), slip = dot(x) - a * sin(th) * dot(th) + h * cos(th) * dot(th),
         friction = mu, start = "closed", name = "right"}
cost("th", {final = th}) cost("x", {final = x}) cost("w", {final = dot(th)}) cost("i", {integral = y})
horizon(0, 1.4)
