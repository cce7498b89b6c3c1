-- A ball bounces on a table that goes up and down, once per cycle of the table. The two multipliers
-- of this motion have the product e^2: where they are conjugate, both have the modulus e, and no
-- amplitude or frequency makes the motion more stable. `saltus periodic vibrating_table.lua --along
-- A=0.002:0.006:0.0002` shows where it is not: a fold, and a flip to bounces of two heights.
model "ball on a vibrating table"

local e     = param("e", 0.6, {doc = "restitution"})
local A     = param("A", 0.006, {unit = "m", doc = "amplitude of the table"})
local w     = param("w", 40, {unit = "rad/s", doc = "its frequency"})
local g     = param("g", 9.81, {unit = "m/s^2"})
local phase = param("phase", 0.6, {unit = "rad", doc = "of the table at the start, just after a bounce"})
local v0    = param("v0", 0.77, {unit = "m/s", doc = "speed of the ball at the start"})

local y = coordinate("y", {start = A * sin(phase), speed = v0, unit = "m"})
mass(y, 1)
force(y, -g)

local table_y = A * sin(w * t + phase)
local gap = y - table_y
event("bounce", {when = gap, direction = "falling", stop = 1})
periodic {[phase] = phase + w * t - 2 * math.pi,
          [v0] = dot(table_y) - e * dot(gap)}

cost("impact", {final = dot(gap), unit = "m/s", doc = "speed of the ball relative to the table"})
horizon(0, 2)

draw.line {{-0.05, table_y}, {0.05, table_y}, style = "ground"}
draw.circle {{0, y + 0.01}, radius = 0.01}
