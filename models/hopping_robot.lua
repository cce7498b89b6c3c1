-- A robot hops on one leg: a trunk on a springy leg with a light foot, whose landing is an impact. A motor pushes
-- along the leg in four pieces from each landing on. `saltus optimise hopping_robot.lua -o best.json` finds the
-- smallest effort with which the trunk comes back to the height of 1.25 m at which it began: without the motor it
-- reaches 1.16 m.
model "hopping robot"

local k = param("k", 3000, {unit = "N/m", lower = 500, doc = "stiffness of the leg"})
local c = param("c", 12, {unit = "N s/m", lower = 0, doc = "damping of the leg"})
local h = param("h", 1.25, {unit = "m", lower = 1.05, doc = "height of the trunk at the start"})
local m, mf, l, g = 8, 0.6, 1, 9.81 -- trunk and foot, length of the leg

local falling, stance, rising = mode("falling"), mode("stance"), mode("rising")
local y = coordinate("y", {start = h, unit = "m", doc = "height of the trunk"})
local f = coordinate("f", {start = h - 0.98 * l, unit = "m", doc = "height of the foot"})
mass(y, m)
mass(f, mf)
force(y, -m * g)
force(f, -mf * g)

local push = control("push", {kind = "hold", nodes = 4, from = "landing", duration = 0.16, start = 20, lower = 0,
                              upper = 400, unit = "N"})
local leg = k * (l - (y - f)) - c * (dot(y) - dot(f)) + push
force(y, leg)
force(f, -leg)

constraint("ground", f, {mode = stance})
event("landing", {when = f, direction = "falling", from = falling, to = stance,
                  charge = {blow = mf * dot(f)^2 / 2}})
event("takeoff", {when = multiplier("ground"), direction = "rising", from = stance, to = rising})
event("top", {when = dot(y), direction = "falling", from = rising, stop = 1})

output("leg", y - f, {unit = "m"})
cost("effort", {integral = push^2, unit = "N^2 s"})
cost("height", {final = y, unit = "m"})
cost("time",   {final = t, unit = "s"})
cost("blow",   {unit = "J", doc = "energy of the foot that landings take"})
horizon(0, 3)

optimise {minimise = "effort", over = {"push*"}, subject_to = {{"height", equals = 1.25}}}

draw.line {{-0.5, 0}, {0.5, 0}, style = "ground"}
draw.line {{0, y}, {0, f}, style = "spring"}
draw.circle {{0, y}, radius = 0.12}
