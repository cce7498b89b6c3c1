-- The oscillator of coulomb.lua with the direction of the friction written as two modes.
model "Coulomb friction, as modes"

local k, fc = param("k", 4.0), param("fc", 0.3)
local F, w  = param("F", 1.5), param("w", 1.25)
local q0, v0 = param("q0", 0.5), param("v0", 1.0)

local q = coordinate("q", {start = q0, speed = v0})
local forward, backward = mode "forward", mode "backward"
local direction = memory("direction", 1)
mass(q, 1)
force(q, -k * q + F * cos(w * t))
force(q, -fc, {mode = forward})
force(q, fc, {mode = backward})

event("v_falls_to_0", {from = forward, to = backward, when = dot(q), direction = "falling",
                       set = {[direction] = -1}})
event("v_rises_to_0", {from = backward, to = forward, when = dot(q), direction = "rising",
                       set = {[direction] = 1}})

cost("q_tF",          {final = q})
cost("v_tF",          {final = dot(q)})
cost("int_q2",        {integral = q^2})
cost("int_a2",        {integral = ddot(q)^2})
cost("friction_work", {integral = fc * direction * dot(q)})
cost("a_tF",          {final = ddot(q)})
horizon(0, 8)

draw.line {{-2, 0}, {2, 0}, style = "ground"}
draw.line {{-2, 0.15}, {q - 0.2, 0.15}, style = "spring"}
draw.line {{q - 0.2, 0}, {q + 0.2, 0}, {q + 0.2, 0.3}, {q - 0.2, 0.3}, {q - 0.2, 0}}
