local x0, p = param("x0", 1.3), param("p", 0.4)
local x = coordinate("x", {start = x0}) mass(x, 1) force(x, -4 * x)
local y = coordinate("y") mass(y, 1) force(y, -3 * x - 0.7 * dot(x))
local free, braked = mode "free", mode "braked"
force(x, -dot(x), {mode = braked}) constraint("hold", y)
cost("a") cost("mu")
event("brake", {from = free, to = braked, when = t - p, set = {[dot(x)] = 0.25 * dot(x)},
  charge = {a = after(ddot(x)) - ddot(x), mu = after(multiplier("hold"))}})
horizon(0, 1)
