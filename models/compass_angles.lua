-- The compass-gait walker (Goswami, Espiau, Keramane) going down a slope by itself, in two angles.
-- When the swinging foot lands, the legs exchange their names, and angular momentum gives the speeds
-- after the impact. compass_feet.lua has no such formulas, and the same gradients. With --set steps=1
-- the run ends at the first step, and `saltus periodic` finds the gait.
model "compass walker, in angles"

local mH    = param("mH", 10, {unit = "kg", doc = "mass of the hip"})
local m     = param("m", 5, {unit = "kg", doc = "mass of a leg"})
local a     = param("a", 0.5, {unit = "m", doc = "from the foot to the mass of the leg"})
local b     = param("b", 0.5, {unit = "m", doc = "from there to the hip"})
local slope = param("slope", math.rad(3), {unit = "rad"})
local th0   = param("th0", 0.2187, {unit = "rad", doc = "angle of the standing leg at the start"})
local w1    = param("w1", -1.0918, {unit = "rad/s", doc = "speed of the standing leg"})
local w2    = param("w2", -0.3772, {unit = "rad/s", doc = "speed of the swinging leg"})
local g, l  = 9.81, a + b
local steps = setting("steps", 0) -- after which it ends; 0: it goes on

-- Angles to the vertical, of the standing and of the swinging leg; at the start both feet are on the
-- ground.
local th1 = coordinate("th1", {start = th0, speed = w1, unit = "rad"})
local th2 = coordinate("th2", {start = -2 * slope - th0, speed = w2, unit = "rad"})
local px, py = memory("px", 0), memory("py", 0) -- where the standing foot is

local hip   = {x = px - l * sin(th1), y = py + l * cos(th1)}
local stand = {x = px - a * sin(th1), y = py + a * cos(th1)}
local swing = {x = hip.x + b * sin(th2), y = hip.y - b * cos(th2)}
local foot  = {x = hip.x + l * sin(th2), y = hip.y - l * cos(th2)}
local function energy(mass, P) return 0.5 * mass * (dot(P.x)^2 + dot(P.y)^2) end
local T = energy(mH, hip) + energy(m, stand) + energy(m, swing)
kinetic(T)
potential(g * (mH * hip.y + m * stand.y + m * swing.y))

-- Of the whole walker about the foot that lands: A11 v1 + A12 v2 = H1 after it; of the leg that
-- leaves the ground about the hip: A21 v1 + A22 v2 = H2.
local c = cos(th1 - th2)
local u1, u2 = dot(th1), dot(th2)
local H1  = (mH * l^2 + 2 * m * a * l) * c * u1 - m * a * b * (u1 + u2)
local H2  = -m * a * b * u1
local A21, A22 = -m * l * b * c, m * b^2
local A11, A12 = A21 + mH * l^2 + m * a^2 + m * l^2, A21 + A22
local det = A11 * A22 - A12 * A21

-- The foot also goes through the ground as it passes the other leg: that does not count.
event("step", {when = foot.y * cos(slope) + foot.x * sin(slope), direction = "falling",
               where = foot.x - px - 0.2 * l, stop = steps > 0 and steps,
               set = {[th1] = th2, [th2] = th1, [px] = foot.x, [py] = foot.y,
                      [u1] = (A22 * H1 - A12 * H2) / det, [u2] = (A11 * H2 - A21 * H1) / det},
               charge = {lost = before(T) - after(T)}})

-- After a step, the other leg stands.
periodic {[th0] = th2, [w1] = (A22 * H1 - A12 * H2) / det, [w2] = (A11 * H2 - A21 * H1) / det}

cost("lost",     {unit = "J", doc = "energy lost at the impacts"})
cost("swing",    {integral = (u1 - u2)^2, unit = "rad^2/s"})
cost("rough",    {integral = ddot(hip.x)^2 + ddot(hip.y)^2, unit = "m^2/s^3"})
cost("distance", {final = hip.x, unit = "m"})
horizon(0, 2.5)

draw.line {{-0.6, 0.6 * tan(slope)}, {2.4, -2.4 * tan(slope)}, style = "ground"}
draw.line {{px, py}, {hip.x, hip.y}, style = "bar"}
draw.line {{hip.x, hip.y}, {foot.x, foot.y}, style = "rod"}
draw.circle {{hip.x, hip.y}, radius = 0.06}
draw.trace {{hip.x, hip.y}}
