-- Bars that hang from a pin, each with a damper. What grows with their number is to be seen, so nothing
-- hits anything.
model "links"

local n = setting("links", 10)
local L, c = param("L", 2), param("c", 1)
gravity(0, -9.81)
local last, l = ground_point(0, 0), L / n
for i = 1, n do
  local P = point("P" .. i, {x = i * l * cos(0.3), y = -i * l * sin(0.3)})
  bar {last, P, mass = 1 / n, length = l}
  damper {last, P, damping = c}
  last = P
end
cost("cost", {integral = last.x^2 + last.y^2})
horizon(0, 0.1)
