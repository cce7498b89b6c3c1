local k, mu = param("k", 3), param("mu", 0.2)
local x = coordinate("x", {start = 1}) mass(x, 1)
force(x, -k * max(x, 0.1) - mu * sign(dot(x)) + abs(sin(9 * t)))
cost("c", {integral = abs(x - 0.3), final = min(x, dot(x))}) horizon(0, 1)
