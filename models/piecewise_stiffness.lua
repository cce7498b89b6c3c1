-- An oscillator that meets a second, preloaded spring at q = d: the equations change, nothing jumps.
model "piecewise stiffness"

local k1, k2 = param("k1", 4.0, {unit = "N/m"}), param("k2", 12.0, {unit = "N/m"})
local c      = param("c", 0.1, {unit = "N s/m"})
local F0     = param("F0", 0.5, {unit = "N", doc = "preload of the second spring"})
local d      = param("d", 0.3, {unit = "m", doc = "where the second spring is met"})
local q0, v0 = param("q0", -1.0), param("v0", 0.5)

local q = coordinate("q", {start = q0, speed = v0, unit = "m"})
local free, engaged = mode "free", mode "engaged"
mass(q, 1)
potential(0.5 * k1 * q^2)
dissipation(0.5 * c * dot(q)^2)
potential(0.5 * k2 * (q - d)^2 + F0 * q, {mode = engaged})

event("engage",  {from = free, to = engaged, when = q - d, direction = "rising"})
event("release", {from = engaged, to = free, when = q - d, direction = "falling"})

cost("q_tF",     {final = q})
cost("v_tF",     {final = dot(q)})
cost("int_q2",   {integral = q^2})
cost("int_a2",   {integral = ddot(q)^2})
cost("int_a",    {integral = ddot(q)})
cost("int_t_v2", {integral = t * dot(q)^2})
cost("a_tF",     {final = ddot(q)})
horizon(0, 8)

draw.line {{-2, 0.3}, {-2, -0.3}, style = "ground"}
draw.line {{-2, 0}, {q, 0}, style = "spring"}
draw.line {{d, 0.2}, {1.6, 0.2}, style = "spring", mode = free}
draw.line {{q, 0.2}, {1.6, 0.2}, style = "spring", mode = engaged}
draw.line {{q, -0.25}, {q, 0.25}, style = "bar"}
