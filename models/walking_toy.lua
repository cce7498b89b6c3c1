-- A walking toy: six stiff legs on a hub walk down a slope. Each foot is a contact with friction, so nothing says
-- which foot stands: one lands, the one behind it is lifted by the blow, and where friction is low they slip.
-- models/rimless_wheel.lua is the same toy with feet that are held by constraints.
model "walking toy"

local l     = param("l", 0.1, {unit = "m", doc = "length of a leg"})
local m     = param("m", 0.2, {unit = "kg"})
local J     = param("J", 0.0004, {unit = "kg m^2", doc = "moment of inertia"})
local slope = param("slope", 0.35, {unit = "rad"})
local mu    = param("mu", 0.5, {doc = "friction of the feet"})
local w0    = param("w0", 4, {unit = "rad/s", doc = "speed at the start"})
local legs  = setting("legs", 6)

-- Along the slope and away from it. It starts on its first leg, which points at the slope.
gravity(9.81 * sin(slope), -9.81 * cos(slope))
local B = body("hub", {x = 0, guess = {0, 0.1}, angle = 0, speed = {l * w0}, spin = -w0, mass = m, inertia = J})
local O, X = ground_point(-0.1, 0), ground_point(1, 0)
for i = 1, legs do
  local a = 2 * math.pi * (i - 1) / legs
  local foot = B:point(l * math.sin(a), -l * math.cos(a))
  contact {foot, line = {O, X}, friction = mu, start = i == 1 and "closed" or "open", name = "foot " .. i,
           charge = {blow = impulse("foot " .. i)}}
  draw.line {B, foot, style = "rod"}
end

cost("way",   {final = B.x, unit = "m"})
cost("speed", {final = dot(B.x), unit = "m/s"})
cost("blow",  {unit = "N s", doc = "of all feet"})
horizon(0, 0.58)
