-- A ladder slides down a wall and leaves it where the wall no longer pushes: without friction, where the
-- sine of its angle is two thirds of that at the start.
model "falling ladder"

local L   = param("L", 2, {unit = "m", doc = "length"})
local m   = param("m", 10, {unit = "kg"})
local th0 = param("th0", 1.2, {unit = "rad", doc = "angle to the floor at the start"})

local x  = coordinate("x", {guess = 0.4, unit = "m"})    -- of its middle
local y  = coordinate("y", {guess = 0.9, unit = "m"})
local th = coordinate("th", {start = th0, unit = "rad"})
mass(x, m)
mass(y, m)
mass(th, m * L^2 / 12)
potential(m * 9.81 * y)

local leaning, sliding = mode "leaning", mode "sliding"
constraint("wall", x - 0.5 * L * cos(th), {mode = leaning})
constraint("floor", y - 0.5 * L * sin(th))

event("leaves", {from = leaning, to = sliding, when = multiplier("wall"),
                 charge = {leaving = sin(th)}})
event("lies", {when = th, direction = "falling", stop = true})

cost("leaving", {doc = "sine of the angle at which it leaves the wall"})
cost("time",    {final = t, unit = "s"})
cost("speed",   {final = dot(x), unit = "m/s", doc = "of its middle, along the floor"})
horizon(0, 5)

local cx, cy = 0.5 * L * cos(th), 0.5 * L * sin(th)
draw.line {{0, 2.2}, {0, 0}, {3, 0}, style = "ground"}
draw.line {{x - cx, y + cy}, {x + cx, y - cy}, style = "bar"}
draw.trace {{x, y}}
