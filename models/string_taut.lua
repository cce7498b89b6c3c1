-- A stone on a slack string: free flight, a jerk when the string goes taut, then a pendulum.
model "string going taut"

local m, g, L = param("m", 1.5), param("g", 9.81), param("L", 1.0)
local x0, y0   = param("x0", 0.3), param("y0", -0.2)
local vx0, vy0 = param("vx0", 1.0), param("vy0", 1.5)

local x = coordinate("x", {start = x0, speed = vx0})
local y = coordinate("y", {start = y0, speed = vy0})
mass(x, m)
mass(y, m)
potential(m * g * y)
local slack, taut = mode "slack", mode "taut"
constraint("string", x^2 + y^2 - L^2, {mode = taut})
event("taut", {from = slack, to = taut, when = L^2 - x^2 - y^2, direction = "falling",
               charge = {impulse_dmu = impulse("string")}})

local mu = multiplier("string")
cost("int_y2",      {integral = y^2})
cost("int_v2",      {integral = dot(x)^2 + dot(y)^2})
cost("int_mu2",     {integral = mu^2})
cost("int_acc2",    {integral = ddot(x)^2 + ddot(y)^2})
cost("int_t_x",     {integral = t * x})
cost("impulse_dmu", {})
cost("energy_tF",   {final = m * ((dot(x)^2 + dot(y)^2) / 2 + g * y)})
cost("mu_tF",       {final = mu})
horizon(0, 2)

draw.line {{0, 0}, {x, y}, style = "dashed", mode = slack}
draw.line {{0, 0}, {x, y}, style = "rod", mode = taut}
draw.circle {{x, y}, radius = 0.05}
draw.trace {{x, y}}
