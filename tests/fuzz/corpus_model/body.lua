gravity(0, -9.81)
local b = body("b", {x = 0.5, y = 0, angle = 0, mass = 1, inertia = param("J", 0.1)})
joint.revolute {b:point(-0.5, 0), ground_point(0, 0)}
cost("c", {final = b.angle}) horizon(0, 0.4)
