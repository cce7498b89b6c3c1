-- The five-bar mechanism of Corner, Sandu and Sandu (2018), hitting the ground with point 2.
model "five-bar"

local k1       = param("k1", 100, {unit = "N/m", doc = "stiffness of the spring to point 3"})
local k2       = param("k2", 100, {unit = "N/m", doc = "stiffness of the spring to point 2"})
local L01      = param("L01", math.sqrt(5), {unit = "m", doc = "free length of the spring to point 3"})
local L02      = param("L02", math.sqrt(17) / 2, {unit = "m", doc = "free length of the spring to point 2"})
local m2       = param("m2", 1.5, {unit = "kg", doc = "mass of the bar 1-2"})
local g        = param("g", 9.81, {unit = "m/s^2"})
local e        = param("e", 1, {doc = "restitution"})
local yg       = param("yg", -2.35, {unit = "m", doc = "height of the ground"})
local LA1      = param("LA1", math.sqrt(2), {unit = "m", doc = "length of the bar A-1"})
local L32      = param("L32", math.sqrt(13) / 2, {unit = "m", doc = "length of the bar 2-3"})
local x20, y20 = param("x20", 0), param("y20", -2)

gravity(0, -g)
local A, B = ground_point(-0.5, 0), ground_point(0.5, 0)
local P1 = point("P1", {guess = {-1.5, -1}})
local P2 = point("P2", {x = x20, y = y20})
local P3 = point("P3", {guess = {1.5, -1}})

bar {A, P1, mass = 1.0, length = LA1, name = "A-1"}
bar {P1, P2, mass = m2, length = math.sqrt(13) / 2, name = "1-2"}
bar {P2, P3, mass = 1.5, length = L32, name = "2-3"}
bar {P3, B, mass = 1.0, length = math.sqrt(2), name = "3-B"}
spring {A, P3, stiffness = k1, length = L01}
spring {A, P2, stiffness = k2, length = L02}

-- The paper turns one velocity around; Newton's law ("newton") also keeps the energy, for e = 1.
local ground = {when = P2.y - yg, direction = "falling"}
if setting("impact", "turn") == "newton" then
  ground.restitution = e
else
  ground.set = {[dot(P2.y)] = -e * dot(P2.y)}
end
event("ground", ground)

local mu1, mu2 = multiplier("A-1"), multiplier("1-2")
local mu3, mu4 = multiplier("2-3"), multiplier("3-B")
cost("int_yd2",               {integral = dot(P2.y)})
cost("int_ydd2",              {integral = ddot(P2.y)})
cost("int_ydd2sq_plus_yd2sq", {integral = ddot(P2.y)^2 + dot(P2.y)^2})
cost("int_dev2_point2",       {integral = P2.x^2 + (P2.y + 2)^2, doc = "how far point 2 is from its start"})
cost("int_musq",              {integral = mu1^2 + mu2^2 + mu3^2 + mu4^2, doc = "forces in the bars, squared"})
cost("int_x2",                {integral = P2.x})
cost("int_xd2sq",             {integral = dot(P2.x)^2})
horizon(0, setting("seconds", 2))

draw.line {{-1.2, yg}, {1.2, yg}, style = "ground"}
draw.trace {P2}
