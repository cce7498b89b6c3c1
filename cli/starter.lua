-- A pendulum that swings against a stop. Change it into your own model: 'saltus help language' lists
-- all words, 'saltus help event' explains one, and 'saltus models' has more models to copy from.
--
--     saltus run      @FILE@     simulates it
--     saltus gradient @FILE@     how the costs depend on the parameters
--     saltus check    @FILE@     whether these derivatives are right
--     saltus report   @FILE@     a page with plots and an animation
model "@NAME@"

-- Parameters: costs are differentiated by them. --set l=0.8 gives another value.
local g    = param("g", 9.81, {unit = "m/s^2", fixed = true}) -- fixed: not differentiated by
local m    = param("m", 1.0, {unit = "kg"})
local l    = param("l", 1.0, {unit = "m", doc = "length of the rod"})
local c    = param("c", 0.05, {unit = "N m s", doc = "damping in the bearing"})
local th0  = param("th0", -0.9, {unit = "rad", doc = "angle at the start"})
local stop = param("stop", 0.3, {unit = "rad", doc = "angle of the stop"})
local e    = param("e", 0.7, {lower = 0, upper = 1, doc = "restitution of the stop"})

-- What moves: one angle, from the vertical. dot(th) is its velocity, ddot(th) its acceleration.
local th = coordinate("th", {start = th0, speed = 0, unit = "rad"})

-- Its equations of motion come from inertia, energies and forces.
mass(th, m * l^2)
potential(-m * g * l * cos(th))
force(th, -c * dot(th))

-- What is not smooth: where stop - th falls through zero, the velocity is turned around.
event("stop", {when = stop - th, direction = "falling", restitution = e})

-- What is measured: an integral over time, a value at the end.
cost("swing", {integral = th^2, unit = "rad^2 s"})
cost("angle_end", {final = th, unit = "rad"})

-- Further quantities for tables, plots and the animation of the report.
local x, y = l * sin(th), -l * cos(th)
output("height", y, {unit = "m"})
draw.line {{0, 0}, {x, y}, style = "rod"}
draw.circle {{x, y}, radius = 0.06}
draw.trace {{x, y}}
draw.line {{1.2 * l * sin(stop), -1.2 * l * cos(stop)}, {0, 0}, style = "ground"}

horizon(0, 5)
