gravity(0, -9.81)
local L = param("L", 1)
local P = point("P", {x = 0.3, y = -0.2}) mass(P, 1.5)
local slack, taut = mode "slack", mode "taut"
constraint("string", P.x^2 + P.y^2 - L^2, {mode = taut})
event("taut", {from = slack, to = taut, when = L^2 - P.x^2 - P.y^2, direction = "falling"})
event("slack", {from = taut, to = slack, when = multiplier("string"), direction = "falling"})
cost("c", {final = P.x}) horizon(0, 1)
