-- How far does it fly? The run ends when the projectile comes down, and that moment has a
-- derivative too.
model "projectile"

local g     = param("g", 9.81, {unit = "m/s^2", fixed = true})
local speed = param("speed", 30, {unit = "m/s", lower = 0})
local angle = param("angle", 0.7, {unit = "rad", doc = "of the launch, above the ground"})
local h0    = param("h0", 1.5, {unit = "m", doc = "height of the launch"})
local k     = param("k", 0.02, {unit = "1/m", doc = "drag per mass and squared speed"})

local x = coordinate("x", {start = 0, speed = speed * cos(angle), unit = "m"})
local y = coordinate("y", {start = h0, speed = speed * sin(angle), unit = "m"})
mass(x, 1)
mass(y, 1)
force(y, -g)
local v = hypot(dot(x), dot(y))
force(x, -k * v * dot(x))
force(y, -k * v * dot(y))

event("impact", {when = y, direction = "falling", stop = true})

cost("range",    {final = x, unit = "m"})
cost("duration", {final = t, unit = "s"})
cost("impact_speed", {final = v, unit = "m/s"})
horizon(0, 60)

draw.line {{-2, 0}, {45, 0}, style = "ground"}
draw.trace {{x, y}}
