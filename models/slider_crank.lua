-- A slider-crank of two bars and a slider that meets a stop before its dead centre: the impulse of the
-- stop turns the crank around too. A spring draws the slider outward.
model "slider-crank with a stop"

local r  = param("r", 0.3, {unit = "m", doc = "length of the crank"})
local l  = param("l", 0.9, {unit = "m", doc = "length of the connecting bar"})
local ms = param("ms", 2.0, {unit = "kg", doc = "mass of the slider"})
local k  = param("k", 60, {unit = "N/m"})
local a0 = param("a0", 1.9, {unit = "rad", doc = "angle of the crank at the start"})
local stop = param("stop", 1.12, {unit = "m", doc = "where the stop is"})
local e  = param("e", 0.7, {doc = "restitution"})

gravity(0, -9.81)
local O = ground_point(0, 0)
local P = point("P", {x = r * cos(a0), guess = {-0.1, 0.28}})
local S = point("S", {guess = {0.8, 0}})
mass(S, ms)
bar {O, P, mass = 1.2, length = r, name = "crank"}
bar {P, S, mass = 0.8, length = l, name = "rod"}
constraint("guide", S.y)
potential(0.5 * k * (S.x - 1.4)^2)

event("stop", {when = stop - S.x, direction = "falling", restitution = e,
               charge = {blow = impulse("stop")}})

output("side force", multiplier("guide"), {unit = "N"})

cost("blow",  {unit = "N s", doc = "all the stop received"})
cost("side",  {integral = multiplier("guide")^2, unit = "N^2 s"})
cost("place", {final = S.x, unit = "m"})
horizon(0, 1.1)

draw.line {{stop + 0.08, -0.2}, {stop + 0.08, 0.2}, style = "ground"}
draw.line {{0.3, 0}, {1.3, 0}, style = "dashed"}
draw.line {{S.x - 0.08, -0.05}, {S.x + 0.08, -0.05}, {S.x + 0.08, 0.05}, {S.x - 0.08, 0.05},
           {S.x - 0.08, -0.05}}
