-- A parcel falls on a scissor table, bounces, and comes to rest on it. The arms of the table are two bars
-- that cross; a torsion spring with a damper between them carries the plate, which only goes up and down.
model "scissor table"

local a  = param("a", 0.5, {unit = "m", doc = "half the length of an arm"})
local mp = param("mp", 3, {unit = "kg", doc = "mass of the parcel"})
local k  = param("k", 60, {unit = "N m", doc = "stiffness between the arms"})
local d  = param("d", 4, {unit = "N m s", doc = "damping between the arms"})
local h  = param("h", 0.25, {unit = "m", doc = "how far the parcel falls"})
local e  = param("e", 0.3, {doc = "restitution of the plate"})

gravity(0, -9.81)
local O, X = ground_point(0, 0), ground_point(1, 0)

-- One angle is given, the rest follows: the arm from O is at th, the other one is its mirror image.
local th = 0.7
local A = body("rising arm", {angle = th, guess = {0.38, 0.32}, mass = 2, inertia = 2 * (2 * a)^2 / 12})
local C = body("falling arm", {guess = {0.38, 0.32, -th}, mass = 2, inertia = 2 * (2 * a)^2 / 12})
local P = body("plate", {guess = {0.38, 0.64}, mass = 4, inertia = 0.3})

joint.revolute {A:point(-a, 0), O, name = "foot"}
joint.slot {C:point(a, 0), along = {O, X}, name = "roller"}
joint.revolute {A, C, name = "middle"}
joint.revolute {C:point(-a, 0), P:point(-0.4, 0), name = "pin"}
joint.slot {A:point(a, 0), along = {P, P:point(1, 0)}, name = "groove"}
torsion_spring {C, A, stiffness = k, angle = 2.2, damping = d}

local Q = point("parcel", {x = 0.35, y = 2 * a * sin(th) + h})
mass(Q, mp)
contact {Q, line = {P:point(-0.4, 0), P:point(0.4, 0)}, restitution = e, settle = 0.15, sticks = true,
         name = "plate", charge = {blow = impulse("plate")}}

cost("height", {final = P.y, unit = "m", doc = "of the plate at the end"})
cost("blow",   {unit = "N s", doc = "all the parcel received"})
cost("load",   {integral = multiplier("roller")^2, unit = "N^2 s", doc = "on the roller"})
horizon(0, 1)
