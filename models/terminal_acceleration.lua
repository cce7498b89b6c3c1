-- An oscillator against a stop, with costs on the acceleration at the end.
model "impact oscillator, terminal acceleration"

local m, k, c = param("m", 1.25), param("k", 6.0), param("c", 0.2)
local d, e    = param("d", 0.35), param("e", 0.9)
local q0, v0  = param("q0", 1.0), param("v0", 0.25)
local aref    = param("aref", 0.5, {unit = "m/s^2"})

local q = coordinate("q", {start = q0, speed = v0})
mass(q, m)
potential(0.5 * k * q^2)
dissipation(0.5 * c * dot(q)^2)
event("stop", {when = q + d, direction = "falling", restitution = e})

cost("a_tF",                   {final = ddot(q)})
cost("half_a_minus_aref_sq",   {final = 0.5 * (ddot(q) - aref)^2})
cost("power_tF",               {final = m * ddot(q) * dot(q)})
cost("int_a2_plus_half_a2_tF", {integral = ddot(q)^2, final = 0.5 * ddot(q)^2})
cost("q_tF",                   {final = q})
cost("v_tF",                   {final = dot(q)})
horizon(0, 5)

draw.line {{-d, 0.3}, {-d, -0.3}, style = "ground"}
draw.line {{q, 0}, {2, 0}, style = "spring"}
draw.circle {{q + 0.1, 0}, radius = 0.1}
