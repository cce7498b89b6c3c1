-- Masses in a row, joined by springs that stiffen; the stiffness of each is a parameter.
model "springs"

local n = setting("masses", 10)
local left, total = 0, 0
for i = 1, n do
  local u = coordinate("u" .. i, {start = 0.1 * math.sin(i)})
  local d = u - left
  mass(u, 1)
  potential(param("k" .. i, 100) * (d^2 / 2 + d^4 / 4))
  total = total + u^2
  left = u
end
cost("cost", {integral = total})
horizon(0, 2)
