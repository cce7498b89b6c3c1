-- A walker with knees (McGeer 1990, with the masses of Chen's point-foot model) goes down a slope by
-- itself. The swinging leg bends, swings through and is straightened by an inelastic impact at its
-- knee, where a constraint is gained; then its foot lands. `saltus periodic` finds the gait.
model "walker with knees"

local mh    = param("mh", 0.5, {unit = "kg", doc = "mass of the hip"})
local mt    = param("mt", 0.5, {unit = "kg", doc = "mass of a thigh"})
local ms    = param("ms", 0.05, {unit = "kg", doc = "mass of a shank"})
local slope = param("slope", 0.0504, {unit = "rad"})
local th0   = param("th0", 0.1877, {unit = "rad", doc = "angle of the standing leg at the start"})
local w1    = param("w1", -1.1014, {unit = "rad/s", doc = "its speed"})
local w2    = param("w2", -0.0399, {unit = "rad/s", doc = "speed of the swinging leg, still straight"})
local a1, b1 = 0.375, 0.125 -- of a shank: from the foot to its mass, from there to the knee
local a2, b2 = 0.175, 0.325 -- of a thigh: from the knee to its mass, from there to the hip
local ls, lt = a1 + b1, a2 + b2
local l, g = ls + lt, 9.81

-- Angles to the vertical: of the standing leg, and of thigh and shank of the swinging one. At the
-- start both feet are on the ground, the standing one at the origin.
local bent, straight = mode("bent"), mode("straight")
local th1 = coordinate("th1", {start = th0, speed = w1, unit = "rad"})
local th2 = coordinate("th2", {start = -2 * slope - th0, speed = w2, unit = "rad"})
local th3 = coordinate("th3", {start = -2 * slope - th0, speed = w2, unit = "rad"})
constraint("knee", th2 - th3, {mode = straight})

local function up(P, length, angle) return {x = P.x - length * sin(angle), y = P.y + length * cos(angle)} end
local origin = {x = 0, y = 0}
local hip    = up(origin, l, th1)
local knee   = up(hip, -lt, th2)
local foot   = up(knee, -ls, th3)
local masses = {{mh, hip}, {ms, up(origin, a1, th1)}, {mt, up(origin, ls + a2, th1)},
                {mt, up(hip, -b2, th2)}, {ms, up(knee, -b1, th3)}}
for _, it in ipairs(masses) do
  local m, P = it[1], it[2]
  kinetic(0.5 * m * (dot(P.x)^2 + dot(P.y)^2))
  potential(m * g * P.y)
end

-- The knee is bent while the shank is behind the thigh.
event("knee strike", {when = th2 - th3, direction = "falling", from = bent, to = straight})
event("heel strike", {when = foot.y * cos(slope) + foot.x * sin(slope), direction = "falling",
                      from = straight, where = foot.x - 0.1 * l, stop = 1})

-- What the impact of the heel keeps: the angular momentum of all masses about the foot that lands,
-- and that of the other leg about the hip. Before it they follow from the velocities; after it they
-- are linear in the speeds of the new standing and swinging leg, with both legs straight.
local function moment(m, P, O, vx, vy) return m * ((P.x - O.x) * vy - (P.y - O.y) * vx) end
local before_all, before_leg = 0, 0
for i, it in ipairs(masses) do
  local m, P = it[1], it[2]
  before_all = before_all + moment(m, P, foot, dot(P.x), dot(P.y))
  if i == 2 or i == 3 then before_leg = before_leg + moment(m, P, hip, dot(P.x), dot(P.y)) end
end
-- Momenta after the impact if the new standing leg, at th2, turns with ws and the other with ww.
local function after_impact(ws, ww)
  local all, leg = 0, 0
  local function add(m, d, swings)
    local P  = up(hip, -d, swings and th1 or th2)
    local vx = -(P.y - foot.y) * ws -- as if all of it turned with the standing leg
    local vy = (P.x - foot.x) * ws
    if swings then -- the hip's velocity, and that about the hip
      vx = -(hip.y - foot.y) * ws - (P.y - hip.y) * ww
      vy = (hip.x - foot.x) * ws + (P.x - hip.x) * ww
      leg = leg + moment(m, P, hip, vx, vy)
    end
    all = all + moment(m, P, foot, vx, vy)
  end
  add(mh, 0, false)
  for _, swings in ipairs {false, true} do
    add(mt, b2, swings)
    add(ms, lt + b1, swings)
  end
  return all, leg
end
local A11, A21 = after_impact(1, 0)
local A12, A22 = after_impact(0, 1)
local det = A11 * A22 - A12 * A21
periodic {[th0] = th2,
          [w1] = (A22 * before_all - A12 * before_leg) / det,
          [w2] = (A11 * before_leg - A21 * before_all) / det}

cost("length", {final = sqrt(foot.x^2 + foot.y^2), unit = "m"})
cost("time", {final = t, unit = "s"})
horizon(0, 2)

draw.line {{-0.6, 0.6 * tan(slope)}, {1, -1 * tan(slope)}, style = "ground"}
draw.line {{0, 0}, {hip.x, hip.y}, style = "bar"}
draw.line {{hip.x, hip.y}, {knee.x, knee.y}, style = "rod"}
draw.line {{knee.x, knee.y}, {foot.x, foot.y}, style = "rod"}
draw.circle {{hip.x, hip.y}, radius = 0.04}
draw.trace {{foot.x, foot.y}}
