-- A stone on a slack rope: it flies, is jerked when the rope goes taut, swings, and flies on where the
-- rope breaks: its tension is a multiplier, and that may stand in a guard. With --set cut=knife it is
-- cut at a place instead.
model "stone on a rope that breaks"

local m  = param("m", 1.5, {unit = "kg"})
local g  = param("g", 9.81, {unit = "m/s^2"})
local L  = param("L", 1.0, {unit = "m", doc = "length of the rope"})
local h  = param("h", 2.0, {unit = "m", doc = "height of its upper end"})
local x0 = param("x0", -0.7, {unit = "m"})
local v0 = param("v0", -1.2, {unit = "m/s", doc = "speed at the start, sideways"})
local limit = param("limit", 28, {unit = "N", doc = "tension the rope can bear"})
local blade = param("blade", 0.4, {unit = "m", doc = "where the knife is"})

local x = coordinate("x", {start = x0, speed = v0, unit = "m"})
local y = coordinate("y", {start = h - 0.2, unit = "m"})
mass(x, m)
mass(y, m)
potential(m * g * y)

-- The multiplier of a distance is the force along it.
local slack, taut, flight = mode "slack", mode "taut", mode "flight"
local stretch = hypot(x, y - h) - L
constraint("rope", stretch, {mode = taut})
local tension = multiplier("rope")

local knife = setting("cut", "tension") == "knife"
event("taut", {from = slack, to = taut, when = stretch, direction = "rising",
               charge = {impulse = impulse("rope")}})
event("cut", {from = taut, to = flight, when = knife and x - blade or tension - limit,
              direction = "rising", charge = {speed = hypot(dot(x), dot(y))}})
event("ground", {when = y, direction = "falling", stop = true})

output("tension", tension, {unit = "N"})

cost("impulse", {unit = "N s", doc = "impulse of the rope as it goes taut"})
cost("speed",   {unit = "m/s", doc = "with which it flies off"})
cost("range",   {final = x, unit = "m"})
cost("pull",    {integral = tension^2, unit = "N^2 s"})
horizon(0, 5)

draw.line {{-1.2, 0}, {1, 0}, style = "ground"}
draw.line {{0, h}, {x, y}, style = "dashed", mode = slack}
draw.line {{0, h}, {x, y}, style = "rod", mode = taut}
draw.circle {{x, y}, radius = 0.06}
draw.trace {{x, y}}
