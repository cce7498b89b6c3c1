-- A bowling ball is thrown with a low arc and without spin. It bounces a little, slides, and friction spins it up
-- until it rolls: then it slips no longer, and friction has nothing to do.
model "bowling ball"

local g  = param("g", 9.81, {unit = "m/s^2"})
local mu = param("mu", 0.12, {doc = "friction of the lane"})
local e  = param("e", 0.3, {doc = "restitution"})
local m  = param("m", 6, {unit = "kg"})
local r  = param("r", 0.108, {unit = "m", doc = "radius"})
local u0 = param("u0", 7, {unit = "m/s", doc = "speed at the start, forward"})
local h0 = param("h0", 0.1, {unit = "m", doc = "height above the lane at the start"})

gravity(0, -g)
local B = body("ball", {y = r + h0, speed = {u0, 0}, mass = m, inertia = 0.4 * m * r^2})

-- Where it touches, the ball moves with the velocity of its middle and that of its spin.
contact {gap = B.y - r, slip = dot(B.x) + r * dot(B.angle), friction = mu, restitution = e, name = "lane",
         charge = {blow = impulse("lane")}}

cost("x_end", {final = B.x, unit = "m"})
cost("speed", {final = dot(B.x), unit = "m/s", doc = "5/7 of that at the start, whatever the friction"})
cost("spin",  {final = dot(B.angle), unit = "rad/s"})
cost("blow",  {unit = "N s", doc = "of all bounces, however many"})
horizon(0, 3)

draw.line {{-0.2, 0}, {20, 0}, style = "ground"}
draw.circle {{B.x, B.y}, radius = r, angle = B.angle}
