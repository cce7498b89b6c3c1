local c = setting("c", 3)
local A, B = point("A", {x = 0, y = 0}), point("B", {x = 1, y = 0.5})
mass(A, 1) mass(B, param("m", 2))
spring {A, B, stiffness = 10 * c, length = 1} damper {A, B, damping = 0.5}
bar {ground_point(0, 1), A, mass = 1, length = 1}
cost("c", {final = B.x}) horizon(0, 0.3)
