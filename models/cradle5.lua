-- Newton's cradle with five balls that touch. One by one the blow runs through the row and the last ball
-- flies off alone, as the toy does; with "together" all contacts act at one instant (Moreau), and most balls move.
-- Both keep momentum; which one is right depends on how stiff the balls are, and no rigid model can say.
model "Newton's cradle of five"

solver {impacts = "one by one"} -- or --impacts together
local g  = param("g", 9.81, {unit = "m/s^2"})
local l  = param("l", 0.5, {unit = "m", doc = "length of the threads"})
local r  = param("r", 0.02, {unit = "m", doc = "radius of the balls"})
local a0 = param("a0", 0.4, {unit = "rad", doc = "angle of the first ball at the start"})
local e  = param("e", 0.95, {doc = "restitution"})
local m  = 0.1

local n, th, ball = 5, {}, {}
for i = 1, n do
  th[i] = coordinate("th" .. i, {start = i == 1 and -a0 or 0, unit = "rad"})
  ball[i] = {x = 2 * (i - 3) * r + l * sin(th[i]), y = -l * cos(th[i])}
  mass(th[i], m * l^2)
  potential(m * g * ball[i].y)
end
for i = 1, n - 1 do
  local name = i .. "-" .. i + 1
  contact {gap = hypot(ball[i + 1].x - ball[i].x, ball[i + 1].y - ball[i].y) - 2 * r, restitution = e, name = name,
           charge = {blow = impulse(name)}}
end

cost("blow", {unit = "N s", doc = "of all impacts"})
cost("last", {final = th[n], unit = "rad"})
cost("first", {final = th[1], unit = "rad"})
horizon(0, 0.7)

draw.line {{0.2, 0}, {-0.2, 0}, style = "ground"}
for i = 1, n do
  draw.line {{2 * (i - 3) * r, 0}, {ball[i].x, ball[i].y}}
  draw.circle {{ball[i].x, ball[i].y}, radius = r}
end
