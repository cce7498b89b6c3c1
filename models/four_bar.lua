-- A four-bar whose motor turns the crank at a given speed, a constraint that depends on time, and is
-- switched off after a while; then it coasts. The torque is what the motor's constraint needs to hold.
model "four-bar with a motor"

local crank   = param("crank", 0.4, {unit = "m"})
local coupler = param("coupler", 1.1, {unit = "m"})
local rocker  = param("rocker", 0.8, {unit = "m"})
local w       = param("w", 4.0, {unit = "rad/s", doc = "mean speed of the motor"})
local ripple  = param("ripple", 0.1, {unit = "rad", doc = "by which it runs unevenly"})
local m       = param("m", 2.0, {unit = "kg", doc = "mass of the coupler"})
local off     = param("off", 1.25, {unit = "s", doc = "when the motor is switched off"})

gravity(0, -9.81)
local A, B = ground_point(0, 0), ground_point(1, 0)
local P = point("P", {guess = {0.2, 0.35}})
local Q = point("Q", {guess = {1.1, 0.8}})
bar {A, P, mass = 1, length = crank, name = "crank"}
bar {P, Q, mass = m, length = coupler, name = "coupler"}
bar {Q, B, mass = 1, length = rocker, name = "rocker"}

-- P lies on the ray of the angle phi: its distance from that ray is 0. The multiplier is the force
-- across the crank.
local driven, coasting = mode "driven", mode "coasting"
local phi = 1 + w * t + ripple * sin(7 * t)
constraint("motor", P.x * sin(phi) - P.y * cos(phi), {mode = driven})
local torque = crank * multiplier("motor")
event("switch off", {from = driven, to = coasting, when = t - off, direction = "rising"})

output("torque", torque, {unit = "N m"})

cost("effort",  {integral = torque^2, unit = "N^2 m^2 s"})
cost("work",    {integral = torque * dot(phi), unit = "J", doc = "done by the motor"})
cost("swing",   {integral = dot(Q.x)^2 + dot(Q.y)^2, unit = "m^2/s"})
cost("Q_x_end", {final = Q.x, unit = "m"})
horizon(0, 2)
