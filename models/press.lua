-- A press: a motor swings a wheel, a soft shaft (a torsion spring) turns the crank, and the ram at the end
-- of the connecting rod comes down on a work piece. It bounces, is pressed while the shaft winds up, and
-- leaves when the wheel is back. What heats the motor, and how hard is the blow?
model "press"

local r = param("r", 0.12, {unit = "m", doc = "radius of the crank"})
local l = param("l", 0.40, {unit = "m", doc = "length of the connecting rod"})
local k = param("k", 150, {unit = "N m", doc = "stiffness of the shaft"})
local s = param("s", 1.5, {unit = "rad", doc = "swing of the motor"})
local T = param("T", 1.2, {unit = "s", doc = "time of a stroke"})
local e = param("e", 0.2, {doc = "restitution of the work piece"})
local h = param("h", -0.50, {unit = "m", doc = "height of the work piece"})

gravity(0, -9.81)
local O = ground_point(0, 0)

local wheel = body("wheel", {guess = {0, 0, 0}, mass = 8, inertia = 0.3})
joint.revolute {wheel, O, name = "axle"}
local swing = -s * (1 - cos(2 * math.pi * t / T)) / 2
motor {wheel, angle = swing, name = "motor"}

local crank = body("crank", {angle = 0, guess = {0.06}, mass = 2, inertia = 0.02})
joint.revolute {crank:point(-r / 2, 0), O, name = "main bearing"}
torsion_spring {wheel, crank, stiffness = k, damping = 1}

local rod = body("rod", {guess = {0.06, -0.2, -1.9}, mass = 1.5, inertia = 1.5 * l^2 / 12})
joint.revolute {crank:point(r / 2, 0), rod:point(-l / 2, 0), name = "crank pin"}

local ram = body("ram", {guess = {0, -0.4, -math.pi / 2}, mass = 6, inertia = 0.05})
joint.revolute {rod:point(l / 2, 0), ram, name = "wrist pin"}
joint.prismatic {ram, along = {O, ground_point(0, -1)}, name = "guide"}

contact {gap = ram.y - h, restitution = e, settle = 0.1, name = "piece",
         charge = {blow = impulse("piece")}}

cost("heat",  {integral = multiplier("motor")^2, unit = "N^2 m^2 s", doc = "in the motor, but for a factor"})
cost("blow",  {unit = "N s", doc = "all the piece received at once"})
cost("press", {integral = -multiplier("piece"), unit = "N s", doc = "and then, pressed"})
cost("side",  {integral = multiplier("guide.line")^2, unit = "N^2 s"})
horizon(0, T)

draw.line {{-0.2, h}, {0.2, h}, style = "ground"}
