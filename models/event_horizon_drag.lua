-- A projectile with quadratic drag that bounces twice and ends at its third impact.
model "projectile with drag"

local g, cd   = param("g", 9.81), param("cd", 0.05)
local e, e_t  = param("e", 0.8), param("e_t", 0.9)
local h0      = param("h0", 1.0)
local vx0, vy0 = param("vx0", 3.0), param("vy0", 2.0)

local x = coordinate("x", {start = 0, speed = vx0})
local y = coordinate("y", {start = h0, speed = vy0})
local speed = hypot(dot(x), dot(y))
kinetic(0.5 * (dot(x)^2 + dot(y)^2))
potential(g * y)
force(x, -cd * speed * dot(x))
force(y, -cd * speed * dot(y))

event("floor", {when = y, direction = "falling", stop = 3,
                set = {[dot(x)] = e_t * dot(x), [dot(y)] = -e * dot(y)}})

cost("tF",          {final = t})
cost("x_tF",        {final = x})
cost("vx_tF_minus", {final = dot(x)})
cost("vy_tF_minus", {final = dot(y)})
cost("ke_tF_minus", {final = 0.5 * (dot(x)^2 + dot(y)^2)})
cost("int_y",       {integral = y})
cost("int_acc2",    {integral = ddot(x)^2 + ddot(y)^2})
cost("int_t_x",     {integral = t * x})
cost("ay_tF_minus", {final = ddot(y)})
horizon(0, 10)

draw.line {{-0.3, 0}, {6, 0}, style = "ground"}
draw.trace {{x, y}}
