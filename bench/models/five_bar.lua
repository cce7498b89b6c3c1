-- The five-bar of models/five_bar.lua with what the benchmark asks for, and nothing else: one cost, the
-- parameters of the springs, 5 seconds.
model "five-bar, for measuring"

local L01, L02 = param("L01", math.sqrt(5)), param("L02", math.sqrt(17) / 2)
local k1, k2   = param("k1", 100), param("k2", 100)

gravity(0, -9.81)
local A, B = ground_point(-0.5, 0), ground_point(0.5, 0)
local P1 = point("P1", {guess = {-1.5, -1}})
local P2 = point("P2", {x = 0, y = -2})
local P3 = point("P3", {guess = {1.5, -1}})
bar {A, P1, mass = 1.0, length = math.sqrt(2)}
bar {P1, P2, mass = 1.5, length = math.sqrt(13) / 2}
bar {P2, P3, mass = 1.5, length = math.sqrt(13) / 2}
bar {P3, B, mass = 1.0, length = math.sqrt(2)}
spring {A, P3, stiffness = k1, length = L01}
spring {A, P2, stiffness = k2, length = L02}
event("ground", {when = P2.y + 2.35, direction = "falling", set = {[dot(P2.y)] = -dot(P2.y)}})
cost("cost", {integral = ddot(P2.y)^2 + dot(P2.y)^2})
horizon(0, 5)
