gravity(0, -9.81)
local e = param("e", 0.4)
local P = point("P", {x = 0, y = 0.2}) mass(P, 1)
contact {gap = P.y, restitution = e, settle = 0.5}
cost("c", {integral = P.y}) horizon(0, 1)
