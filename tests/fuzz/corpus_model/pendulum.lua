gravity(0, -9.81)
local L = param("L", 0.7)
local P = point("P", {x = L, y = 0}) mass(P, 1)
rod {ground_point(0, 0), P, length = L}
cost("tension", {integral = multiplier("rod 1")^2}) cost("y", {final = P.y}) horizon(0, 0.5)
