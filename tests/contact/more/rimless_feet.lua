model "rimless_feet"
local L = param("L", 0.5)
local mu = param("mu", 0.7)
local al = param("al", 0.12)
local w0 = param("w0", -2.2)
local J = param("J", 0.1)

local x, y, th = coordinate("x", {speed = -w0 * L}), coordinate("y", {start = L}), coordinate("th", {speed = w0})
mass(x, 1) mass(y, 1) mass(th, J)
force(x, 9.81 * sin(al)) force(y, -9.81 * cos(al))
for k = 0, 3 do
  local turned = th - math.pi / 2 + k * math.pi / 4
  contact {gap = y + L * sin(turned), slip = dot(x) - L * sin(turned) * dot(th), friction = mu, name = "s" .. k,
           start = k == 0 and "closed" or nil}
end
cost("x", {final = x}) cost("th", {final = th}) cost("w", {final = dot(th)}) cost("i", {integral = y})
horizon(0, 0.8)
