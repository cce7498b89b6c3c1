-- A hopper: a trunk on a springy leg. The foot slides along the axis of the trunk, sticks where it stands,
-- and leaves when the floor would have to pull. It starts with its leg compressed, and hops.
model "hopper"

local k = param("k", 2500, {unit = "N/m", doc = "stiffness of the leg"})
local c = param("c", 6, {unit = "N s/m", doc = "damping of the leg"})
local l = param("l", 0.5, {unit = "m", doc = "length of the leg at rest"})
local y0 = param("y0", 0.4, {unit = "m", doc = "height of the trunk at the start"})
local lean = param("lean", 0.1, {unit = "rad", doc = "how far it leans forward at the start"})

gravity(0, -9.81)
local B = body("trunk", {y = y0, angle = -lean, guess = {0.05}, mass = 5, inertia = 0.4})
local F = point("foot", {guess = {0, 0}})
mass(F, 0.3)

-- The leg: the foot stays on the axis of the trunk, below its middle.
joint.slot {F, along = {B, B:point(0, -1)}, name = "leg"}
spring {B, F, stiffness = k, length = l}
damper {B, F, damping = c}

contact {F, line = {ground_point(0, 0), ground_point(1, 0)}, sticks = true, start = "closed", at = 0,
         name = "floor", charge = {blow = impulse("floor")}}

output("leg", hypot(F.x - B.x, F.y - B.y), {unit = "m"})

cost("distance", {final = B.x, unit = "m"})
cost("height",   {final = B.y, unit = "m"})
cost("blow",     {unit = "N s", doc = "all the floor received at landings"})
cost("load",     {integral = multiplier("floor")^2, unit = "N^2 s"})
horizon(0, 0.75)
