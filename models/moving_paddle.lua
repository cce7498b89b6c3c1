-- A ball on a paddle that moves up and down: the guard depends on time, and so does the impact.
model "ball on a moving paddle"

local g = param("g", 9.81, {unit = "m/s^2", fixed = true})
local e = param("e", 0.7, {doc = "restitution", lower = 0, upper = 1})
local A = param("A", 0.05, {unit = "m", doc = "amplitude of the paddle"})
local w = param("w", 12, {unit = "rad/s", doc = "frequency of the paddle"})
local h0 = param("h0", 0.5, {unit = "m", doc = "height of the ball at the start"})

local tF = 1.6 -- s
local y = coordinate("y", {start = h0, unit = "m"})
mass(y, 1)
force(y, -g)

-- The law acts on the speed of the gap, so a paddle that comes up hits harder.
local paddle = A * sin(w * t)
local gap = y - paddle
event("hit", {when = gap, direction = "falling", restitution = e,
              charge = {work = impulse("hit") * dot(paddle)}})

output("paddle", paddle, {unit = "m"})
output("gap", gap, {unit = "m"})

cost("work", {unit = "J", doc = "done by the paddle on the ball"})
cost("height", {integral = y / tF, unit = "m", doc = "mean height"})
cost("y_end", {final = y, unit = "m"})
horizon(0, tF)

draw.line {{-0.1, paddle}, {0.1, paddle}, style = "ground"}
draw.circle {{0, y + 0.02}, radius = 0.02}
