-- A pole hangs from a cart. Which force on the cart swings it up in two seconds, 1 m further on, with the smallest
-- integral of its square? `saltus optimise cart_pole.lua -o best.json` finds it, and `saltus run cart_pole.lua --params
-- best.json` shows the motion. The problem is that of M. Kelly, An introduction to trajectory optimization (2017).
model "cart-pole"

local m1 = param("m1", 1, {unit = "kg", lower = 0.1, fixed = true, doc = "mass of the cart"})
local m2 = param("m2", 0.3, {unit = "kg", lower = 0.01, fixed = true, doc = "mass at the end of the pole"})
local l = param("l", 0.5, {unit = "m", lower = 0.1, fixed = true, doc = "length of the pole"})
local g = 9.81

local x = coordinate("x", {unit = "m"})
local q = coordinate("q", {unit = "rad", doc = "angle of the pole, zero where it hangs"})
kinetic(0.5 * (m1 + m2) * dot(x)^2 + m2 * l * cos(q) * dot(x) * dot(q) + 0.5 * m2 * l^2 * dot(q)^2)
potential(-m2 * g * l * cos(q))

local u = control("u", {kind = "linear", nodes = setting("nodes", 10), start = 1, lower = -20, upper = 20, unit = "N"})
force(x, u)

cost("effort",   {integral = u^2, unit = "N^2 s"})
cost("place",    {final = x, unit = "m"})
cost("angle",    {final = q, unit = "rad"})
cost("speed",    {final = dot(x), unit = "m/s"})
cost("rotation", {final = dot(q), unit = "rad/s"})
horizon(0, 2)

optimise {minimise = "effort", over = {"u*"}, shooting = 5,
          subject_to = {{"place", equals = 1}, {"angle", equals = math.pi}, {"speed", equals = 0},
                        {"rotation", equals = 0}}}

local pivot, tip = {x, 0}, {x + l * sin(q), -l * cos(q)}
draw.line {{x - 0.15, 0}, {x + 0.15, 0}, style = "bar"}
draw.line {pivot, tip, style = "rod"}
draw.circle {tip, radius = 0.04}
draw.trace {tip}
