-- A clutch between two shafts, with a gear: it is engaged with a jerk when the motor is fast enough, a
-- constraint that appears; it slips when the load asks for more than it can hold, and catches again.
-- A memory keeps the angle at which it holds.
model "clutch"

local J1, J2 = param("J1", 0.5, {unit = "kg m^2"}), param("J2", 1.5, {unit = "kg m^2"})
local r      = param("r", 1.6, {doc = "of the gear: turns of the motor per turn of the load"})
local drive  = param("drive", 20, {unit = "N m"})
local drag   = param("drag", 0.6, {unit = "N m s", doc = "of the load"})
local peak   = param("peak", 60, {unit = "N m", doc = "by which the load swings"})
local w_on   = param("w_on", 30, {unit = "rad/s", doc = "speed at which the clutch is engaged"})
local hold   = param("hold", 32, {unit = "N m", doc = "torque the clutch can hold"})
local slide  = param("slide", 28, {unit = "N m", doc = "torque of the clutch while it slips"})

local th1 = coordinate("th1", {speed = 12, unit = "rad"})
local th2 = coordinate("th2", {speed = 10, unit = "rad"})
local offset = memory("offset", 0)
mass(th1, J1)
mass(th2, J2)
force(th1, drive)
force(th2, -drag * dot(th2) - peak * sin(2 * t))

-- The multiplier is the torque in the clutch, on the motor's side: it brakes the motor.
local open, locked, slips = mode "open", mode "locked", mode "slips"
local slip = th1 - r * th2
constraint("clutch", slip - offset, {mode = locked})
force(slip, -slide, {mode = slips})
local torque = multiplier("clutch")

event("engage", {from = open, to = locked, when = dot(th1) - w_on, direction = "rising",
                 set = {[offset] = slip}, charge = {impulse = impulse("clutch")}})
event("overload", {from = locked, to = slips, when = torque^2 - hold^2, direction = "rising"})
event("catch", {from = slips, to = locked, when = dot(slip), direction = "falling",
                set = {[offset] = slip}})

output("torque", torque, {unit = "N m"})
output("slip", dot(slip), {unit = "rad/s"})

cost("impulse", {unit = "N m s", doc = "impulse of the engagement"})
cost("effort",  {integral = torque^2, unit = "N^2 m^2 s"})
cost("turned",  {final = th2, unit = "rad"})
cost("speed",   {final = dot(th2), unit = "rad/s"})
horizon(0, 5.5)

draw.circle {{-0.6, 0}, radius = 0.4, angle = th1, name = "motor"}
draw.circle {{0.55, 0}, radius = 0.6, angle = th2, name = "load"}
