-- Three dominoes. Each turns about its lower right corner, or stands; the first is pushed, its upper corner hits the
-- next and slides down its face with friction. The run ends where the last one has fallen by a given angle.
model "dominoes"

local g  = param("g", 9.81, {unit = "m/s^2"})
local h  = param("h", 0.05, {unit = "m", doc = "height"})
local b  = param("b", 0.008, {unit = "m", doc = "thickness"})
local d  = param("d", 0.02, {unit = "m", doc = "gap between two of them"})
local mu = param("mu", 0.2, {doc = "friction between two of them"})
local w0 = param("w0", 3, {unit = "rad/s", doc = "how fast the first is pushed"})
local n, m = setting("dominoes", 3), 0.01

local th, up, foot = {}, {}, {}
for i = 1, n do
  th[i] = coordinate("th" .. i, {speed = i == 1 and w0 or 0, unit = "rad"})
  foot[i] = (i - 1) * (b + d)
  up[i] = {sin(th[i]), cos(th[i])}
  mass(th[i], m * (h^2 + b^2) / 3)
  potential(m * g * (h / 2 * up[i][2] + b / 2 * up[i][1]))
end
-- The point of domino i at u along its floor side, from the corner it turns about, and v along its height.
local function at(i, u, v) return ground_point(foot[i] + u * up[i][2] + v * up[i][1], -u * up[i][1] + v * up[i][2]) end

for i = 2, n do
  contact {gap = th[i], start = "closed", name = "stands " .. i}
  contact {at(i - 1, 0, h), line = {at(i, -b, 0), at(i, -b, h)}, friction = mu, name = i - 1 .. " on " .. i,
           charge = {blow = impulse(i - 1 .. " on " .. i)}}
end
event("down", {when = th[n] - 0.9, direction = "rising", stop = true})

cost("time", {final = t, unit = "s"})
cost("blow", {unit = "N s", doc = "of all of them on the next"})
cost("rubbed", {integral = multiplier("1 on 2")^2, unit = "N^2 s"})
horizon(0, 2)

draw.line {{-0.02, 0}, {0.12, 0}, style = "ground"}
for i = 1, n do draw.line {at(i, 0, 0), at(i, 0, h), at(i, -b, h), at(i, -b, 0), at(i, 0, 0)} end
