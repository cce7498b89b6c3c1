-- A block on a belt that runs, held by a spring: it sticks to the belt and is carried along until the spring
-- pulls it loose, slips back, and is caught again. That is how a bow plays a string, and how brakes squeal.
model "stick-slip on a belt"

local m  = param("m", 1, {unit = "kg"})
local k  = param("k", 40, {unit = "N/m", doc = "stiffness of the spring"})
local c  = param("c", 0.3, {unit = "N s/m", doc = "damping beside the spring"})
local v  = param("v", 0.2, {unit = "m/s", doc = "speed of the belt"})
local ms = param("ms", 0.5, {doc = "friction while it sticks"})
local mk = param("mk", 0.3, {doc = "friction while it slides"})
local g  = param("g", 9.81, {unit = "m/s^2"})

local x = coordinate("x", {unit = "m"})
local y = coordinate("y", {unit = "m"})
mass(x, m)
mass(y, m)
force(x, -k * x - c * dot(x))
force(y, -m * g)

contact {gap = y, slip = dot(x) - v, friction = {static = ms, kinetic = mk}, start = "closed", name = "belt"}

cost("x_end",  {final = x, unit = "m"})
cost("stretch", {integral = x^2, unit = "m^2 s"})
cost("work",   {integral = -multiplier("belt.friction") * v, unit = "J", doc = "what the belt gives"})
horizon(0, 3)

draw.line {{-0.3, 0}, {0.6, 0}, style = "ground"}
draw.line {{-0.3, 0.05}, {x - 0.05, 0.05}, style = "spring"}
draw.line {{x - 0.05, y}, {x + 0.05, y}, {x + 0.05, y + 0.1}, {x - 0.05, y + 0.1}, {x - 0.05, y}}
