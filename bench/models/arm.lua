-- An arm of N joints in space whose axes take turns, in the angles of its joints: long expressions.
model "arm"
local N = setting("N", 12)
local m, l, c = param("m", 0.5, {unit = "kg"}), param("l", 0.3, {unit = "m"}), param("c", 0.2)
local X, Y, Z, p = {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}
local function mix(a, b, s, r) return {s * a[1] + r * b[1], s * a[2] + r * b[2], s * a[3] + r * b[3]} end
local function turn(a, b, q) return mix(a, b, cos(q), sin(q)), mix(b, a, cos(q), -sin(q)) end
for i = 1, N do
  local q = coordinate("q" .. i, {start = 0.4 / i, unit = "rad"})
  if i % 3 == 1 then Y, Z = turn(Y, Z, q) elseif i % 3 == 2 then Z, X = turn(Z, X, q) else X, Y = turn(X, Y, q) end
  local r = mix(p, Z, 1, -0.5 * l)
  kinetic(0.5 * m * (dot(r[1])^2 + dot(r[2])^2 + dot(r[3])^2))
  mass(q, 0.1 * m * l^2)
  potential(9.81 * m * r[3])
  dissipation(0.5 * c * dot(q)^2)
  p = mix(p, Z, 1, -l)
end
cost("cost", {integral = p[1]^2 + p[2]^2, final = p[3]})
horizon(0, 0.5)
