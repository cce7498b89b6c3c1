-- A bouncing ball on a floor whose height is a parameter: the guard itself depends on it.
model "ball on a floor at height rho"

local rho = param("rho", 0.3, {unit = "m", doc = "height of the floor"})
local g   = param("g", 9.81, {unit = "m/s^2"})
local e   = param("e", 0.75, {doc = "restitution"})
local h0  = param("h0", 1.25, {unit = "m"})
local v0  = param("v0", 0.4, {unit = "m/s"})

local y = coordinate("y", {start = h0, speed = v0, unit = "m"})
kinetic(0.5 * dot(y)^2)
potential(g * y)
event("floor", {when = y - rho, direction = "falling", restitution = e})

cost("y_tF",      {final = y})
cost("v_tF",      {final = dot(y)})
cost("int_y2",    {integral = y^2})
cost("int_t_v2",  {integral = t * dot(y)^2})
cost("int_v3",    {integral = dot(y)^3})
cost("energy_tF", {final = dot(y)^2 / 2 + g * y})
horizon(0, 1.75)

draw.line {{-0.5, rho}, {0.5, rho}, style = "ground"}
draw.circle {{0, y + 0.05}, radius = 0.05}
