-- A box in space falls on a floor without friction, with all of its eight corners. Its attitude is four
-- Euler parameters and one constraint; their mass matrix alone is singular.
model "tumbling box"

local e  = param("e", 0.6, {doc = "restitution"})
local m  = param("m", 1.5, {unit = "kg"})
local g  = param("g", 9.81, {unit = "m/s^2"})
local h0 = param("h0", 0.6, {unit = "m", doc = "height of its middle at the start"})
local size = {param("length", 0.4, {unit = "m"}), param("width", 0.3, {unit = "m"}),
              param("height", 0.2, {unit = "m"})}
local tilt1, tilt2 = param("tilt1", 0.25), param("tilt2", 0.3)
local w1, w3 = param("w1", 1.5, {unit = "rad/s"}), param("w3", 2.0, {unit = "rad/s"})

local x = coordinate("x", {speed = 0.3, unit = "m"})
local y = coordinate("y", {unit = "m"})
local z = coordinate("z", {start = h0, unit = "m"})
local e0 = coordinate("e0", {guess = 1})
local e1 = coordinate("e1", {start = tilt1, speed = w1 / 2})
local e2 = coordinate("e2", {start = tilt2})
local e3 = coordinate("e3", {speed = w3 / 2})
constraint("unit", e0^2 + e1^2 + e2^2 + e3^2 - 1)

-- The angular velocity in the box, and the columns of its rotation matrix.
local d0, d1, d2, d3 = dot(e0), dot(e1), dot(e2), dot(e3)
local omega = {2 * (e0 * d1 - e1 * d0 + e3 * d2 - e2 * d3),
               2 * (e0 * d2 - e2 * d0 + e1 * d3 - e3 * d1),
               2 * (e0 * d3 - e3 * d0 + e2 * d1 - e1 * d2)}
local axis = {
  {e0^2 + e1^2 - e2^2 - e3^2, 2 * (e1 * e2 + e0 * e3), 2 * (e1 * e3 - e0 * e2)},
  {2 * (e1 * e2 - e0 * e3), e0^2 - e1^2 + e2^2 - e3^2, 2 * (e2 * e3 + e0 * e1)},
  {2 * (e1 * e3 + e0 * e2), 2 * (e2 * e3 - e0 * e1), e0^2 - e1^2 - e2^2 + e3^2}}
local J = {}
for i = 1, 3 do J[i] = m * (size[i % 3 + 1]^2 + size[(i + 1) % 3 + 1]^2) / 12 end

mass(x, m)
mass(y, m)
mass(z, m)
for i = 1, 3 do kinetic(0.5 * J[i] * omega[i]^2) end
potential(m * g * z)

for corner = 0, 7 do
  local height, name = z, "corner"
  for i = 1, 3 do
    local sign = corner // 2^(i - 1) % 2 == 0 and 1 or -1
    height = height + sign * size[i] / 2 * axis[i][3]
    name = name .. (sign > 0 and " +" or " -")
  end
  event(name, {when = height, direction = "falling", restitution = e,
               charge = {blow = impulse(name)}})
end

-- Its angular momentum in space: constant between impacts, the vertical one always.
for k, name in ipairs {"Lx", "Ly", "Lz"} do
  local L = 0
  for i = 1, 3 do L = L + J[i] * omega[i] * axis[i][k] end
  output(name, L, {unit = "kg m^2/s"})
end

cost("blow",   {unit = "N s", doc = "all the floor received"})
cost("height", {integral = z, unit = "m s"})
cost("upright", {final = axis[3][3], doc = "cosine of its tilt at the end"})
horizon(0, 0.65)

-- Seen from the side: the edges of the box, without their depth.
local function corner(a, b, c)
  local p = {x, z}
  for i, s in ipairs {a, b, c} do
    p[1], p[2] = p[1] + s * size[i] / 2 * axis[i][1], p[2] + s * size[i] / 2 * axis[i][3]
  end
  return p
end
draw.line {{-0.5, 0}, {0.8, 0}, style = "ground"}
for _, c in ipairs {-1, 1} do
  draw.line {corner(-1, -1, c), corner(1, -1, c), corner(1, 1, c), corner(-1, 1, c), corner(-1, -1, c)}
  for _, a in ipairs {-1, 1} do draw.line {corner(a, c, -1), corner(a, c, 1)} end
end
