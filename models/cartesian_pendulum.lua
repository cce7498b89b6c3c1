-- A pendulum in Cartesian coordinates: a point mass held on a circle by a constraint.
model "pendulum in Cartesian coordinates"

local m, g, L = param("m", 2.0), param("g", 9.81), param("L", 1.25)
local x0, vx0 = param("x0", 0.75), param("vx0", 0.5)

local x = coordinate("x", {start = x0, speed = vx0})
local y = coordinate("y", {guess = -1})
mass(x, m)
mass(y, m)
potential(m * g * y)
constraint("rod", x^2 + y^2 - L^2)

local mu = multiplier("rod")
cost("int_mu2",  {integral = mu^2})
cost("int_acc2", {integral = ddot(x)^2 + ddot(y)^2})
cost("int_ay",   {integral = ddot(y)})
cost("int_y",    {integral = y})
cost("int_t_mu", {integral = t * mu})
cost("ax_tF",    {final = ddot(x)})
cost("ay_tF",    {final = ddot(y)})
cost("mu_tF",    {final = mu})
horizon(0, 3)

draw.line {{0, 0}, {x, y}, style = "rod"}
draw.circle {{x, y}, radius = 0.06}
draw.trace {{x, y}}
