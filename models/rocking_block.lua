-- Housner's block: a slender block stands on one corner, tips back, and rocks from corner to corner. At each impact
-- the other corner takes over and the one it stood on is lifted; angular momentum about the new corner says how
-- much of the speed is left: 1 - 1.5 B^2 / (B^2 + H^2). A contact that could pull would stop it dead.
model "rocking block"

local g   = param("g", 9.81, {unit = "m/s^2"})
local B   = param("B", 0.1, {unit = "m", doc = "half of its width"})
local H   = param("H", 0.4, {unit = "m", doc = "half of its height"})
local th0 = param("th0", 0.15, {unit = "rad", doc = "how far it leans to the right at the start"})
local mu  = param("mu", 0.8, {doc = "friction: enough to keep the corners from sliding"})

gravity(0, -g)
local block = body("block", {x = -B * cos(th0) + H * sin(th0), y = B * sin(th0) + H * cos(th0), angle = -th0,
                             mass = 1, inertia = (B^2 + H^2) / 3})
local O, X = ground_point(-0.5, 0), ground_point(0.5, 0)
contact {block:point(B, -H), line = {O, X}, friction = mu, start = "closed", name = "right"}
contact {block:point(-B, -H), line = {O, X}, friction = mu, name = "left"}

cost("lean",  {final = block.angle, unit = "rad"})
cost("spin",  {final = dot(block.angle), unit = "rad/s"})
cost("sway",  {integral = block.angle^2, unit = "rad^2 s"})
horizon(0, 1.5)

local p = {block:point(-B, -H), block:point(B, -H), block:point(B, H), block:point(-B, H)}
draw.line {p[1], p[2], p[3], p[4], p[1]}
