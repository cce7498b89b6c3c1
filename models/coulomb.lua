-- A driven oscillator with dry friction: sign(dot(q)) is a kink, found and crossed automatically.
model "Coulomb friction"

local k  = param("k", 4.0, {unit = "N/m"})
local fc = param("fc", 0.3, {unit = "N", doc = "friction force"})
local F  = param("F", 1.5, {unit = "N"})
local w  = param("w", 1.25, {unit = "rad/s"})
local q0, v0 = param("q0", 0.5), param("v0", 1.0)

local q = coordinate("q", {start = q0, speed = v0, unit = "m"})
mass(q, 1)
force(q, -k * q - fc * sign(dot(q)) + F * cos(w * t))

cost("q_tF",          {final = q})
cost("v_tF",          {final = dot(q)})
cost("int_q2",        {integral = q^2})
cost("int_a2",        {integral = ddot(q)^2})
cost("friction_work", {integral = fc * abs(dot(q)), unit = "J"})
cost("a_tF",          {final = ddot(q)})
horizon(0, 8)

draw.line {{-2, 0}, {2, 0}, style = "ground"}
draw.line {{-2, 0.15}, {q - 0.2, 0.15}, style = "spring"}
draw.line {{q - 0.2, 0}, {q + 0.2, 0}, {q + 0.2, 0.3}, {q - 0.2, 0.3}, {q - 0.2, 0}}
