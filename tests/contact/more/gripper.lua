model "gripper"
local F0 = param("F0", 12)
local tau = param("tau", 0.5)
local mu = param("mu", 0.5)
local m = param("m", 0.4)
local e = param("e", 0.4)
local h = param("h", 0.15)
local g = param("g", 9.81)

local z, l, r = coordinate("z", {start = h}), coordinate "l", coordinate "r"
mass(z, m) mass(l, 0.1) mass(r, 0.1)
force(z, -m * g) force(l, F0 * exp(-t / tau)) force(r, -F0 * exp(-t / tau))
local b = coordinate "b" -- the block, sideways
mass(b, m)
contact {gap = b - l, slip = dot(z), friction = mu, start = "closed", name = "left"}
contact {gap = r - b, slip = dot(z), friction = mu, start = "closed", name = "right"}
contact {gap = z, restitution = e, rest = true, name = "floor", charge = {blow = impulse("floor")}}
cost("blow") cost("z_int", {integral = z})
cost("hold", {integral = multiplier("left.friction")^2})
horizon(0, 1.5)
