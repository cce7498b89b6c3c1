-- A particle between two walls whose positions are parameters; a memory counts the hits, and the
-- walls get softer with every one of them.
model "between two walls"

local left  = param("left", -1.0, {unit = "m"})
local right = param("right", 1.5, {unit = "m"})
local v0    = param("v0", 3.0, {unit = "m/s"})
local e     = param("e", 0.95, {doc = "restitution of a new wall"})
local wear  = param("wear", 0.02, {doc = "restitution lost with each hit"})
local drag  = param("drag", 0.05, {unit = "N s/m"})

local x = coordinate("x", {start = 0, speed = v0, unit = "m"})
local hits = memory("hits", 0)
mass(x, 1)
dissipation(0.5 * drag * dot(x)^2)

-- Both guards are positive inside and fall to zero at the wall.
local softened = e - wear * hits
local lost = 0.5 * before(dot(x))^2 - 0.5 * after(dot(x))^2
event("left wall", {when = x - left, direction = "falling", restitution = softened,
                    set = {[hits] = hits + 1}, charge = {lost = lost}})
event("right wall", {when = right - x, direction = "falling", restitution = softened,
                     set = {[hits] = hits + 1}, charge = {lost = lost}})

cost("lost", {unit = "J", doc = "energy lost at the walls"})
cost("x_end", {final = x, unit = "m"})
cost("path", {integral = abs(dot(x)), unit = "m", doc = "length of the path"})
horizon(0, 6)

draw.line {{left, 0.5}, {left, -0.2}, style = "ground"}
draw.line {{right, -0.2}, {right, 0.5}, style = "ground"}
draw.circle {{x, 0.15}, radius = 0.08}
