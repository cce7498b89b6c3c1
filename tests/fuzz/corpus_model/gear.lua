local i = param("i", 1.5)
local free, meshed = mode "free", mode "meshed"
local A = body("A", {spin = 2, mass = 1, inertia = 0.5})
local B = body("B", {x = 1, mass = 1, inertia = 0.8})
local C = body("C", {x = 2, y = 0, guess = {0, 0, 0}, mass = 1, inertia = 0.1})
gear {A, B, ratio = i, mode = meshed, name = "g"} gear {B, C, ratio = -0.4, carrier = A, angle = 0.1}
event("mesh", {from = free, to = meshed, when = A.angle - 1, charge = {blow = impulse("g")}})
cost("blow") cost("b", {final = B.angle}) horizon(0, 1)
