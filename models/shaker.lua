-- A ball on a shaking table: it bounces, comes to rest, and is thrown off again.
model "shaker"

local e = param("e", 0.3, {doc = "restitution"})
local A = param("A", 0.01, {unit = "m", doc = "amplitude of the table"})
local w = param("w", 35, {unit = "rad/s", doc = "frequency of the table"})

local y = coordinate("y", {start = 0.1, unit = "m"})
mass(y, 1)
force(y, -9.81)

local gap = y - A * sin(w * t)
local air, rest = mode "air", mode "rest"
constraint("table", gap, {mode = rest})

-- Slower than 1 cm/s it settles; it leaves when the table no longer pushes (its multiplier is < 0
-- while it does).
event("bounce", {from = air, when = gap, direction = "falling", restitution = e,
                 where = -dot(gap) - 0.01})
event("settle", {from = air, to = rest, when = gap, direction = "falling", where = dot(gap) + 0.01})
event("leave",  {from = rest, to = air, when = multiplier("table"), direction = "rising"})

cost("rough", {integral = ddot(y)^2})
cost("y_tF",  {final = y})
horizon(0, 0.8)

draw.line {{-0.03, A * sin(w * t)}, {0.03, A * sin(w * t)}, style = "ground"}
draw.circle {{0, y + 0.005}, radius = 0.005}
