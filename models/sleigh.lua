-- A sleigh on one knife edge (Chaplygin): the edge moves along itself only, yet the sleigh turns and ends up
-- going straight, its mass in front.
model "Chaplygin's sleigh"

local m, J = param("m", 2, {unit = "kg"}), param("J", 0.1, {unit = "kg m^2"})
local a = param("a", 0.2, {unit = "m", doc = "from the edge to the centre of mass"})
local u0, w0 = param("u0", 0.5, {unit = "m/s"}), param("w0", 3, {unit = "rad/s"})

local x = coordinate("x", {speed = u0, unit = "m"})
local y = coordinate("y", {unit = "m"})
local theta = coordinate("theta", {speed = w0, unit = "rad"})
local cx, cy = x + a * cos(theta), y + a * sin(theta)
kinetic(0.5 * m * (dot(cx)^2 + dot(cy)^2) + 0.5 * J * dot(theta)^2)
rolling("edge", cos(theta) * dot(y) - sin(theta) * dot(x))

cost("u", {final = cos(theta) * dot(x) + sin(theta) * dot(y), unit = "m/s", doc = "speed along the edge"})
cost("w", {final = dot(theta), unit = "rad/s"})
cost("theta", {final = theta, unit = "rad"})
cost("grip", {integral = multiplier("edge")^2, unit = "N^2 s"})
horizon(0, 2)
draw.trace {{x, y}}
draw.line {{x - 0.1 * cos(theta), y - 0.1 * sin(theta)}, {x + 0.1 * cos(theta), y + 0.1 * sin(theta)}}
draw.line {{x, y}, {cx, cy}, style = "rod"}
draw.circle {{cx, cy}, radius = 0.05}
