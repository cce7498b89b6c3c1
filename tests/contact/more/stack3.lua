model "stack3"
local m1 = param("m1", 3)
local m2 = param("m2", 2)
local m3 = param("m3", 1)
local mu0 = param("mu0", 0.2)
local mu1 = param("mu1", 0.25)
local mu2 = param("mu2", 0.4)
local P = param("P", 110)
local g = param("g", 9.81)

local x1, x2, x3 = coordinate "x1", coordinate "x2", coordinate "x3"
local y1, y2, y3 = coordinate "y1", coordinate "y2", coordinate "y3"
for i, q in ipairs {x1, x2, x3} do mass(q, ({m1, m2, m3})[i]) end
for i, q in ipairs {y1, y2, y3} do mass(q, ({m1, m2, m3})[i]) force(q, -({m1, m2, m3})[i] * g) end
force(x1, P * t * exp(-t))
contact {gap = y1, slip = dot(x1), friction = mu0, start = "closed", name = "floor"}
contact {gap = y2 - y1, slip = dot(x2) - dot(x1), friction = mu1, start = "closed", name = "low"}
contact {gap = y3 - y2, slip = dot(x3) - dot(x2), friction = mu2, start = "closed", name = "high"}
for i, q in ipairs {x1, x2, x3} do cost("x" .. i, {final = q}) end
cost("heat", {integral = multiplier("low.friction") * (dot(x2) - dot(x1)) + multiplier("floor.friction") * dot(x1)})
horizon(0, 12)
