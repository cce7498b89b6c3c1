-- A box falls on a rough floor, tumbles, bounces from corner to corner, and comes to lie on one of its edges. Each
-- corner bounces, sticks, slides and rests by itself, and impacts of two corners follow each other within
-- microseconds before both rest.
model "box tumbling to rest"

local g  = param("g", 9.81, {unit = "m/s^2"})
local e  = param("e", 0.4, {doc = "restitution of the corners"})
local mu = param("mu", 0.3, {doc = "friction of the corners"})
local a  = param("a", 0.2, {unit = "m", doc = "half of its length"})
local b  = param("b", 0.1, {unit = "m", doc = "half of its height"})
local h0 = param("h0", 0.25, {unit = "m", doc = "height of its middle at the start"})
local tilt, spin = param("tilt", 0.3, {unit = "rad"}), param("spin", -0.5, {unit = "rad/s"})

gravity(0, -g)
local box = body("box", {y = h0, angle = tilt, speed = {0.5, 0}, spin = spin, mass = 1, inertia = (a^2 + b^2) / 3})
local O, X = ground_point(-0.5, 0), ground_point(1, 0)
local corners = {box:point(-a, -b), box:point(a, -b), box:point(a, b), box:point(-a, b)}
for i, P in ipairs(corners) do
  contact {P, line = {O, X}, restitution = e, friction = mu, name = "corner " .. i,
           charge = {blows = impulse("corner " .. i)}}
end

cost("blows", {unit = "N s", doc = "all the floor received in impacts, those of the infinitely many small ones too"})
cost("place", {final = box.x, unit = "m", doc = "where it comes to lie"})
cost("tumble", {integral = dot(box.angle)^2, unit = "rad^2/s", doc = "how much it turns to and fro"})
horizon(0, 2)
-- Slower bounces would only amplify rounding in the derivatives: they divide by the speed of an impact.
solver {rest_speed = 1e-3}

draw.line {corners[1], corners[2], corners[3], corners[4], corners[1]}
