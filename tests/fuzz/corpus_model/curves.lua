local a = param("a", 0.5)
local x = coordinate("x", {start = 0.1, speed = 1})
mass(x, 1)
local lin = curve {x = {0, 0.5, 1}, y = {0, a, 1}, ends = "extrapolate"}
local cub = curve {x = {0, 0.5, 1}, y = {0, a, 1}, kind = "cubic"}
local per = curve {x = {0, 0.5, 0.7, 1}, y = {0, a, 1, 0}, kind = "periodic"}
force(x, lin(x) + step(t - 0.5) - pulse(t, 0.1, 0.2, 0.01))
cost("c", {integral = cub(x) * per(5 * x), final = mod(x, 0.3) + mod(x, a, 0.1)})
horizon(0, 1)
