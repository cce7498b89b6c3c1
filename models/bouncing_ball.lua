-- A ball dropped on the floor: each impact turns its velocity around and takes some of it.
model "bouncing ball"

local g  = param("g", 9.81, {unit = "m/s^2"})
local e  = param("e", 0.8, {doc = "restitution"})
local h0 = param("h0", 1.0, {unit = "m", doc = "height at the start"})
local v0 = param("v0", 0.5, {unit = "m/s", doc = "speed at the start, upward"})

local y = coordinate("y", {start = h0, speed = v0, unit = "m"})
mass(y, 1)
force(y, -g)

event("floor", {when = y, direction = "falling", set = {[dot(y)] = -e * dot(y)}})

cost("y_tF",      {final = y})
cost("v_tF",      {final = dot(y)})
cost("int_v",     {integral = dot(y)})
cost("int_y2",    {integral = y^2})
cost("int_t_y",   {integral = t * y})
cost("int_v2",    {integral = dot(y)^2})
cost("energy_tF", {final = dot(y)^2 / 2 + g * y})
horizon(0, 2)

draw.line {{-0.5, 0}, {0.5, 0}, style = "ground"}
draw.circle {{0, y + 0.05}, radius = 0.05}
draw.trace {{0, y + 0.05}}
