-- A wheel without a rim rolls down a slope on its spokes. The spoke that lands is called the standing
-- one from then on: its angle jumps back, and the inelastic law in the constraints of the new foot
-- leaves cos(2 pi / spokes) of the speed, if all mass is in the hub.
model "rimless wheel"

local n     = setting("spokes", 8)
local l     = param("l", 0.5, {unit = "m", doc = "length of a spoke"})
local m     = param("m", 2.0, {unit = "kg"})
local J     = param("J", 0.02, {unit = "kg m^2", doc = "moment of inertia, 0 is allowed"})
local slope = param("slope", 0.2, {unit = "rad"})
local w0    = param("w0", 2.5, {unit = "rad/s", doc = "speed at the start"})
local half  = math.pi / n -- of the angle between two spokes

local x  = coordinate("x", {guess = 0, unit = "m"}) -- of the hub
local y  = coordinate("y", {guess = 0.5, unit = "m"})
local th = coordinate("th", {start = 0, speed = w0, unit = "rad"}) -- of the spoke, to the vertical
mass(x, m)
mass(y, m)
mass(th, J)
potential(m * 9.81 * y)

local px, py = memory("px", 0), memory("py", 0) -- where the foot is
constraint("foot.x", x - l * sin(th) - px)
constraint("foot.y", y - l * cos(th) - py)

local side = 2 * l * math.sin(half) -- from foot to foot
local T = 0.5 * m * (dot(x)^2 + dot(y)^2) + 0.5 * J * dot(th)^2
event("spoke", {when = th - half - slope, direction = "rising",
                set = {[th] = th - 2 * half,
                       [px] = px + side * cos(slope), [py] = py - side * sin(slope)},
                charge = {lost = before(T) - after(T)}})

cost("lost",     {unit = "J", doc = "energy lost at the impacts"})
cost("speed",    {final = dot(th), unit = "rad/s"})
cost("load",     {integral = multiplier("foot.y")^2, unit = "N^2 s"})
cost("distance", {final = x, unit = "m"})
horizon(0, 1.85)

draw.line {{-0.6, 0.6 * tan(slope)}, {2.9, -2.9 * tan(slope)}, style = "ground"}
for i = 0, n - 1 do
  draw.line {{x, y}, {x - l * sin(th + 2 * i * half), y - l * cos(th + 2 * i * half)}, style = "rod"}
end
draw.trace {{x, y}}
