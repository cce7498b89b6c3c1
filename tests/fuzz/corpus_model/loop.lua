local last
for i = 1, 4 do
  local x = coordinate("x" .. i, {start = i}) mass(x, i)
  if last then potential(50 * (x - last - 1)^2) end
  last = x
end
event("hit", {when = last - 4.01, restitution = 1})
cost("c", {integral = last}) horizon(0, 0.3)
