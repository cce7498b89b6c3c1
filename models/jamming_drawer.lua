-- A drawer in its guides, pulled by a handle off its centre: it tilts within its play, and two corners bind. It slides
-- out if the friction is less than L / (2 c), however hard or gently it is pulled, and jams if it is more.
model "jamming drawer"

local mu = param("mu", 0.5, {doc = "friction in the guides; it jams from 2/3 on"})
local F  = param("F", 20, {unit = "N", doc = "the pull"})
local c  = param("c", 0.3, {unit = "m", doc = "how far the handle is from the middle"})
local L  = param("L", 0.4, {unit = "m", doc = "depth of the drawer"})
local b  = param("b", 0.25, {unit = "m", doc = "half of its width"})
local s  = param("s", 0.002, {unit = "m", doc = "play on each side"})

local drawer = body("drawer", {mass = 2, inertia = 0.1})
force(drawer:point(L / 2, -c), F, 0)

local back, front = -0.5, 1.5
local left  = {ground_point(front, b + s), ground_point(back, b + s)}
local right = {ground_point(back, -b - s), ground_point(front, -b - s)}
contact {drawer:point(-L / 2, b), line = left, friction = mu, name = "back left"}
contact {drawer:point(L / 2, b), line = left, friction = mu, name = "front left"}
contact {drawer:point(-L / 2, -b), line = right, friction = mu, name = "back right"}
contact {drawer:point(L / 2, -b), line = right, friction = mu, name = "front right"}

cost("way",   {final = drawer.x, unit = "m", doc = "how far it has come out"})
cost("speed", {final = dot(drawer.x), unit = "m/s"})
horizon(0, 0.5)

local p = {drawer:point(-L / 2, b), drawer:point(L / 2, b), drawer:point(L / 2, -b), drawer:point(-L / 2, -b)}
draw.line {p[1], p[2], p[3], p[4], p[1]}
