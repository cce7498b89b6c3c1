-- A runner as a mass on a spring (SLIP; Geyer, Seyfarth, Blickhan 2005), from one apex to the next.
-- At touchdown the leg has a fixed angle, and nothing is lost. `saltus periodic` finds the height
-- that repeats itself; `saltus periodic slip.lua --along k=10.4:11:0.05` the fold at which the
-- stable and the unstable gait meet.
model "spring-mass runner"

local k     = param("k", 10.7, {doc = "stiffness of the leg, in weights per length of the leg"})
local angle = param("angle", math.pi / 6, {unit = "rad", doc = "of the leg at touchdown, to the vertical"})
local E     = param("E", 1.61, {unit = "m", doc = "energy, as the height at which it would all be potential"})
local apex  = param("apex", 0.88, {unit = "m", doc = "height at the start"})
local g     = 9.81

local flight, stance, again = mode("flight"), mode("stance"), mode("flight again")
local x = coordinate("x", {start = 0, speed = sqrt(2 * g * (E - apex)), unit = "m"})
local y = coordinate("y", {start = apex, unit = "m"})
mass(x, 1)
mass(y, 1)
force(y, -g)

local foot = memory("foot", 0) -- where it is on the ground
local leg  = hypot(x - foot, y)
potential(0.5 * k * g * (leg - 1)^2, {mode = stance})

event("touchdown", {when = y - cos(angle), direction = "falling", from = flight, to = stance,
                    set = {[foot] = x + sin(angle)}})
event("takeoff", {when = leg - 1, direction = "rising", from = stance, to = again})
event("apex", {when = dot(y), direction = "falling", from = again, stop = 1})
periodic {[apex] = y}

cost("stride", {final = x, unit = "m"})
horizon(0, 5)

draw.line {{-0.5, 0}, {3, 0}, style = "ground"}
draw.line {{x, y}, {foot, 0}, style = "spring", mode = stance}
draw.line {{x, y}, {x + sin(angle), y - cos(angle)}, style = "rod", mode = flight}
draw.circle {{x, y}, radius = 0.08}
draw.trace {{x, y}}
