-- Newton's cradle with three balls. Small gaps keep the impacts apart in time: if the balls touched,
-- two contacts would close at one instant, and a gradient would be that of one order of them.
model "Newton's cradle"

local g   = param("g", 9.81, {unit = "m/s^2"})
local l   = param("l", 0.5, {unit = "m", doc = "length of the threads"})
local r   = param("r", 0.02, {unit = "m", doc = "radius of the balls"})
local gap = param("gap", 0.001, {unit = "m", doc = "between two balls that hang"})
local a0  = param("a0", -0.6, {unit = "rad", doc = "angle of the first ball at the start"})
local e   = param("e", 0.96, {doc = "restitution"})

local ball, th = {}, {}
for i = 1, 3 do
  th[i] = coordinate("th" .. i, {start = i == 1 and a0 or 0, unit = "rad"})
  ball[i] = {x = (i - 2) * (2 * r + gap) + l * sin(th[i]), y = -l * cos(th[i])}
  mass(th[i], 0.1 * l^2)
  potential(0.1 * g * ball[i].y)
end
for i = 1, 2 do
  local distance = hypot(ball[i + 1].x - ball[i].x, ball[i + 1].y - ball[i].y)
  local name = i .. "-" .. i + 1
  event(name, {when = distance - 2 * r, direction = "falling", restitution = e,
               charge = {impulse = impulse(name)}})
end

cost("impulse", {unit = "N s", doc = "of all impacts"})
cost("swing",   {integral = th[3]^2, unit = "rad^2 s"})
cost("last",    {final = th[3], unit = "rad"})
horizon(0, 1.3)

for i = 1, 3 do
  draw.line {{(i - 2) * (2 * r + gap), 0}, {ball[i].x, ball[i].y}}
  draw.circle {{ball[i].x, ball[i].y}, radius = r, name = "ball " .. i}
end
draw.line {{0.2, 0}, {-0.2, 0}, style = "ground"}
