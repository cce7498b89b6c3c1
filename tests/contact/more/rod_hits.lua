model "rod_hits"
local mu = param("mu", 0.9)
local e = param("e", 0.3)
local th0 = param("th0", 0.9)
local w0 = param("w0", 4)
local u0 = param("u0", -0.3)

local x, y, th = coordinate("x", {speed = u0}), coordinate("y", {start = 1}), coordinate("th", {start = th0, speed = w0})
mass(x, 1) mass(y, 1) mass(th, 1 / 12)
force(y, -9.81)
for name, s in pairs {A = -0.5, B = 0.5} do
  contact {gap = y + s * sin(th), slip = dot(x) - s * sin(th) * dot(th), friction = mu, restitution = e, rest = false,
           name = name}
end
cost("x", {final = x}) cost("th", {final = th}) cost("w", {final = dot(th)}) cost("i", {integral = y})
horizon(0, 0.55)
