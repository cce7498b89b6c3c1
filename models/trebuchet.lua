-- A trebuchet: a beam with a heavy weight at its short end and a sling at its long end. The stone slides along the
-- floor until the floor would have to pull, and the sling lets go when it has turned far enough ahead of the beam.
-- Where does the stone land? `saltus optimise trebuchet.lua` chooses the release and the lengths that throw it
-- furthest.
model "trebuchet"

local M = param("M", 100, {unit = "kg", lower = 10, fixed = true, doc = "weight"})
local m = param("m", 1, {unit = "kg", lower = 0.1, fixed = true, doc = "stone"})
local short = param("short", 0.5, {unit = "m", lower = 0.3, upper = 0.8, doc = "arm of the weight"})
local long = param("long", 2, {unit = "m", lower = 1.5, upper = 2.4, doc = "arm of the sling"})
local sling = param("sling", 1.6, {unit = "m", lower = 1, upper = 1.7, doc = "length of the sling"})
local release = param("release", 0.7, {unit = "rad", lower = 0.2, upper = 1.4,
                                        doc = "angle of the stone's velocity at which the sling lets go"})
local g, height = 9.81, 1.2 -- of the axle

local sliding, swinging, flying = mode("sliding"), mode("swinging"), mode("flying")
-- The beam's angle is that of its long arm, from the horizontal; the long end begins on the floor.
local a0 = math.pi + asin(height / long)
local a = coordinate("a", {start = a0, unit = "rad"})
local x = coordinate("x", {start = long * cos(a0) + sling, unit = "m"})
local y = coordinate("y", {start = 0, unit = "m"})
local tip_x, tip_y = long * cos(a), height + long * sin(a)
kinetic(0.5 * (M * short^2 + 4 * long^2 / 3) * dot(a)^2 + 0.5 * m * (dot(x)^2 + dot(y)^2))
potential(-M * g * short * sin(a) + m * g * y)

constraint("rope", ((x - tip_x)^2 + (y - tip_y)^2 - sling^2) / 2, {mode = {sliding, swinging}})
constraint("floor", y, {mode = sliding})
event("lift", {when = multiplier("floor"), direction = "rising", from = sliding, to = swinging})
event("release", {when = sin(release) * dot(x) - cos(release) * dot(y), direction = "rising", where = dot(x) - 5,
                  from = swinging, to = flying})
event("ground", {when = y, direction = "falling", from = flying, stop = 1})

cost("range", {final = x, unit = "m"})
cost("short_of", {final = -x, unit = "m", doc = "the range, to be minimised"})
cost("time",  {final = t, unit = "s"})
horizon(0, 10)

optimise {minimise = "short_of", over = {"release", "sling", "short"}}

draw.line {{-5, 0}, {30, 0}, style = "ground"}
draw.line {{tip_x, tip_y}, {-short * cos(a), height - short * sin(a)}, style = "bar"}
draw.line {{tip_x, tip_y}, {x, y}, style = "rod", mode = {sliding, swinging}}
draw.circle {{-short * cos(a), height - short * sin(a)}, radius = 0.25}
draw.circle {{x, y}, radius = 0.08}
draw.trace {{x, y}}
