-- Two blocks, one on the other, the lower one on a table; somebody pulls the lower one, harder and harder. First both
-- stick, then they move together, then the upper one is left behind; when the pull ends, friction stops both.
model "stacked blocks"

local g  = param("g", 9.81, {unit = "m/s^2"})
local m1 = param("m1", 2, {unit = "kg", doc = "lower block"})
local m2 = param("m2", 1, {unit = "kg", doc = "upper block"})
local mu1 = param("mu1", 0.2, {doc = "friction on the table"})
local mu2 = param("mu2", 0.35, {doc = "friction between the blocks"})
local F  = param("F", 30, {unit = "N/s", doc = "how fast the pull grows"})
local T  = param("T", 0.79, {unit = "s", doc = "when it ends"})

local x1, y1 = coordinate("x1", {unit = "m"}), coordinate("y1", {unit = "m"})
local x2, y2 = coordinate("x2", {unit = "m"}), coordinate("y2", {unit = "m"})
for _, q in ipairs {x1, y1} do mass(q, m1) end
for _, q in ipairs {x2, y2} do mass(q, m2) end
force(y1, -m1 * g)
force(y2, -m2 * g)

local pulls, ended = mode "pulls", mode "ended"
force(x1, F * t, {mode = pulls})
event("ends", {from = pulls, to = ended, when = t - T, direction = "rising"})

contact {gap = y1, slip = dot(x1), friction = mu1, start = "closed", name = "table"}
contact {gap = y2 - y1, slip = dot(x2) - dot(x1), friction = mu2, start = "closed", name = "between"}

cost("way",  {final = x1, unit = "m"})
cost("left", {final = x1 - x2, unit = "m", doc = "how far the upper one was left behind"})
cost("heat", {integral = multiplier("table.friction") * dot(x1), unit = "J", doc = "at the table"})
horizon(0, 2.5)

local function box(x, y, w, h) draw.line {{x - w, y}, {x + w, y}, {x + w, y + h}, {x - w, y + h}, {x - w, y}} end
draw.line {{-0.5, 0}, {3, 0}, style = "ground"}
box(x1, y1, 0.4, 0.2)
box(x2, y2 + 0.2, 0.15, 0.15)
