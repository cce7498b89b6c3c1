-- A ball that was filmed: which gravity, restitution and height explain its heights and the times of its impacts?
-- `saltus fit` finds them. The data are below; --set file=drop reads them from drop.csv beside the model instead,
-- --data drop=FILE.csv from any file with the columns t, height and hit.
model "a ball that was filmed"

local g = param("g", 9, {unit = "m/s^2", lower = 0})
local e = param("e", 0.7, {lower = 0, upper = 1, doc = "restitution"})
local h = param("h", 1.2, {unit = "m", doc = "height it was dropped from"})

local y = coordinate("y", {start = h, unit = "m"})
mass(y, 1)
force(y, -g)
event("floor", {when = y, direction = "falling", restitution = e})

local file = setting("file", "")
local d = {
    t = {0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.3, 1.5, 1.7, 1.9, 2.1},
    height = {0.946, 0.795, 0.550, 0.220, 0.425, 0.660, 0.490, 0.274, 0.427, 0.188, 0.218, 0.242},
    hit = {0.4498, 1.1840, 1.7753},
}
if file ~= "" then d = data(file) end
measurement("height", {of = y, at = d.t, value = d.height, sigma = 0.004})
measurement("hits", {event = "floor", value = d.hit, sigma = 0.0015})

cost("end", {final = y, unit = "m"})
horizon(0, 2.2)
draw.line {{-0.5, 0}, {0.5, 0}, style = "ground"}
draw.circle {{0, y + 0.05}, radius = 0.05}
