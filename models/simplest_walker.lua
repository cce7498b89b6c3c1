-- The simplest walker (Garcia, Chatterjee, Ruina, Coleman 1998): a heavy hip, two legs without mass,
-- feet that weigh nearly nothing, a gentle slope. `saltus periodic` finds its gait; from other start
-- values, --set theta0=0.194 --set omega0=-0.204, the shorter and unstable one.
model "simplest walker"

local slope  = param("slope", 0.009, {unit = "rad"})
local theta0 = param("theta0", 0.2, {unit = "rad", doc = "angle of the standing leg after a step"})
local omega0 = param("omega0", -0.2, {doc = "its speed; lengths in legs, times in sqrt(leg / g)"})

-- The angle of the standing leg to the normal of the slope, and the angle between the legs. Both
-- feet are on the ground at the start, and the swinging foot has just been pushed off.
local th = coordinate("theta", {start = theta0, speed = omega0, unit = "rad"})
local ph = coordinate("phi", {start = 2 * theta0, speed = omega0 * (1 - cos(2 * theta0)), unit = "rad"})
mass(th, 1)
mass(ph, 1)
force(th, sin(th - slope))
force(ph, sin(th - slope) + dot(th)^2 * sin(ph) - cos(th - slope) * sin(ph))

-- The swinging foot meets the ground; as it passes the other leg it may scuff, which does not count.
event("heel strike", {when = ph - 2 * th, direction = "rising", where = -th - 0.05, stop = 1})

-- After it the legs have exchanged their names, and the hip moves at right angles to the new one.
periodic {[theta0] = -th, [omega0] = cos(2 * th) * dot(th)}

cost("length", {final = 2 * sin(-th), doc = "of a step, in legs"})
cost("speed",  {final = 2 * sin(-th) / t, doc = "of the walker"})
horizon(0, 12)

local hip = {x = -sin(th), y = cos(th)}
draw.line {{-0.6, 0}, {1, 0}, style = "ground"}
draw.line {{0, 0}, {hip.x, hip.y}, style = "bar"}
draw.line {{hip.x, hip.y}, {hip.x - sin(ph - th), hip.y - cos(ph - th)}, style = "rod"}
draw.circle {{hip.x, hip.y}, radius = 0.05}
