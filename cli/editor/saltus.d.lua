---@meta saltus
-- The words of Saltus's model language, for editors that understand LuaLS annotations. Written by
-- 'saltus new --editor'; nothing runs it. 'saltus help WORD' prints what it says of a word.

---@class saltus.Expression A number that depends on time, state or parameters.
---@operator add(saltus.Value): saltus.Expression
---@operator sub(saltus.Value): saltus.Expression
---@operator mul(saltus.Value): saltus.Expression
---@operator div(saltus.Value): saltus.Expression
---@operator pow(saltus.Value): saltus.Expression
---@operator unm: saltus.Expression

---@alias saltus.Value number | saltus.Expression

---@class saltus.Point A point of the plane.
---@field x saltus.Expression
---@field y saltus.Expression

---@class saltus.Body: saltus.Point A rigid body; where a point is expected, its centre.
---@field angle saltus.Expression
local Body = {}
---A point of the body, by its coordinates in the body.
---@param u saltus.Value
---@param v saltus.Value
---@return saltus.Point
function Body:point(u, v) end

---@class saltus.Mode
---@field name string
---@alias saltus.Modes saltus.Mode | saltus.Mode[]
---@class saltus.InMode
---@field mode? saltus.Modes active in these modes only

-- ---- symbols

---The title of the model.
---@param name string
function model(name) end

---@class saltus.ParamOptions
---@field fixed? boolean not differentiated by, unless --wrt names it
---@field lower? number
---@field upper? number
---@field unit? string
---@field doc? string

---A parameter: costs are differentiated by it. --set name=value gives another value.
---@param name string
---@param value number
---@param options? saltus.ParamOptions
---@return saltus.Expression
function param(name, value, options) end

---A number or a text that the script itself depends on; --set changes it.
---@generic T: number | string | boolean
---@param name string
---@param value T
---@return T
function setting(name, value) end

---@class saltus.CoordinateOptions
---@field start? saltus.Value position at the start
---@field speed? saltus.Value velocity at the start
---@field guess? number where the search for a position that constraints determine begins
---@field unit? string
---@field doc? string

---Something that moves: dot(q) is its velocity, ddot(q) its acceleration.
---@param name string
---@param options? saltus.CoordinateOptions
---@return saltus.Expression
function coordinate(name, options) end

---@class saltus.PointOptions
---@field x? saltus.Value
---@field y? saltus.Value
---@field speed? saltus.Value[] {vx, vy}
---@field guess? number[] {x, y}
---@field unit? string
---@field doc? string

---A point that moves: the coordinates name.x and name.y.
---@param name string
---@param options? saltus.PointOptions
---@return saltus.Point
function point(name, options) end

---A point that does not move by itself; its place may depend on time and parameters.
---@param x saltus.Value
---@param y saltus.Value
---@return saltus.Point
function ground_point(x, y) end

---A number that stays until an event sets it.
---@param name string
---@param start saltus.Value
---@return saltus.Expression
function memory(name, start) end

---@class saltus.StateOptions
---@field start? saltus.Value
---@field rate? saltus.Value its derivative by time
---@field unit? string
---@field doc? string

---A first-order state: a filter, a controller, a motor.
---@param name string
---@param options saltus.StateOptions
---@return saltus.Expression
function state(name, options) end

---Gives a state its rate, which may then depend on what was declared later.
---@param s saltus.Expression
---@param e saltus.Value
---@param options? saltus.InMode
function rate(s, e, options) end

---The time.
---@type saltus.Expression
t = nil

---@class saltus.ControlOptions
---@field nodes integer the number of pieces, which have equal lengths
---@field kind? "hold" | "linear" | "cubic"
---@field lower? number
---@field upper? number
---@field start? number the value of all its parameters
---@field values? number[] the value of each parameter
---@field from? string the event at which it begins
---@field duration? saltus.Value its duration, with from
---@field unit? string
---@field doc? string

---A function of time with free parameters name[0], name[1], ...
---@param name string
---@param options saltus.ControlOptions
---@return saltus.Expression
function control(name, options) end

-- ---- values of the state

---The rate of an expression of positions: its velocity.
---@param e saltus.Value
---@return saltus.Expression
function dot(e) end

---The acceleration of an expression of positions.
---@param e saltus.Value
---@return saltus.Expression
function ddot(e) end

---In an event: the value before it.
---@param e saltus.Value
---@return saltus.Expression
function before(e) end

---In an event: the value after it.
---@param e saltus.Value
---@return saltus.Expression
function after(e) end

---In the charge of an event: the impulse of a constraint or a contact.
---@param name string
---@return saltus.Expression
function impulse(name) end

---The multiplier of a constraint, a joint or a contact: its force.
---@param name string
---@return saltus.Expression
function multiplier(name) end

-- ---- functions of numbers and expressions

---@param x saltus.Value
---@return saltus.Expression
function sin(x) end
---@param x saltus.Value
---@return saltus.Expression
function cos(x) end
---@param x saltus.Value
---@return saltus.Expression
function tan(x) end
---@param x saltus.Value
---@return saltus.Expression
function asin(x) end
---@param x saltus.Value
---@return saltus.Expression
function acos(x) end
---With two arguments, atan2.
---@param y saltus.Value
---@param x? saltus.Value
---@return saltus.Expression
function atan(y, x) end
---@param y saltus.Value
---@param x saltus.Value
---@return saltus.Expression
function atan2(y, x) end
---@param x saltus.Value
---@return saltus.Expression
function sinh(x) end
---@param x saltus.Value
---@return saltus.Expression
function cosh(x) end
---@param x saltus.Value
---@return saltus.Expression
function tanh(x) end
---The inverse of sinh.
---@param x saltus.Value
---@return saltus.Expression
function asinh(x) end
---The error function.
---@param x saltus.Value
---@return saltus.Expression
function erf(x) end
---@param x saltus.Value
---@return saltus.Expression
function exp(x) end
---The natural logarithm, or that to a base.
---@param x saltus.Value
---@param base? saltus.Value
---@return saltus.Expression
function log(x, base) end
---@param x saltus.Value
---@return saltus.Expression
function sqrt(x) end
---@param x saltus.Value
---@param y saltus.Value
---@return saltus.Expression
function hypot(x, y) end
---@param x saltus.Value
---@param y saltus.Value
---@return saltus.Expression
function pow(x, y) end
---Has a kink at zero, with an automatic event.
---@param x saltus.Value
---@return saltus.Expression
function abs(x) end
---Jumps at zero, with an automatic event.
---@param x saltus.Value
---@return saltus.Expression
function sign(x) end
---@param x saltus.Value
---@param ... saltus.Value
---@return saltus.Expression
function min(x, ...) end
---@param x saltus.Value
---@param ... saltus.Value
---@return saltus.Expression
function max(x, ...) end
---0 for negative x, 1 for positive x; smooth with a width.
---@param x saltus.Value
---@param width? saltus.Value
---@return saltus.Expression
function step(x, width) end
---1 between a and b; smooth with a width.
---@param x saltus.Value
---@param a saltus.Value
---@param b saltus.Value
---@param width? saltus.Value
---@return saltus.Expression
function pulse(x, a, b, width) end
---x less as many periods as make it lie between 0 and the period; smooth with a width.
---@param x saltus.Value
---@param period saltus.Value
---@param width? saltus.Value
---@return saltus.Expression
function mod(x, period, width) end

---@class saltus.CurveOptions
---@field x number[] places, which increase
---@field y saltus.Value[] values
---@field kind? "linear" | "cubic" | "periodic"
---@field ends? "hold" | "extrapolate" | "stop" the value beyond the table

---A function from a table, to be applied to any expression.
---@param options saltus.CurveOptions
---@return fun(x: saltus.Value): saltus.Expression
function curve(options) end

-- ---- terms

---Kinetic energy, with velocities.
---@param T saltus.Value
---@param options? saltus.InMode
function kinetic(T, options) end
---Potential energy, of positions.
---@param U saltus.Value
---@param options? saltus.InMode
function potential(U, options) end
---A dissipation function, of velocities.
---@param D saltus.Value
---@param options? saltus.InMode
function dissipation(D, options) end
---A force along an expression of positions, or (fx, fy) on a point.
---@param along saltus.Expression | saltus.Point
---@param f saltus.Value
---@param fy? saltus.Value | saltus.InMode
---@param options? saltus.InMode
function force(along, f, fy, options) end
---The inertia of an expression of positions, or of a point.
---@param along saltus.Expression | saltus.Point
---@param m saltus.Value
---@param options? saltus.InMode
function mass(along, m, options) end
---Acts on all point masses, bodies and bars.
---@param gx saltus.Value
---@param gy saltus.Value
---@param options? saltus.InMode
function gravity(gx, gy, options) end

---@class saltus.ConstraintOptions: saltus.InMode
---@field alpha? number penalty factor

---Keeps an expression of positions and time at zero.
---@param name string
---@param e saltus.Expression
---@param options? saltus.ConstraintOptions
function constraint(name, e, options) end

-- ---- elements

---@class saltus.Element: saltus.InMode
---@field name? string
---@field [1]? saltus.Point | saltus.Expression
---@field [2]? saltus.Point | saltus.Expression
---@field [3]? saltus.Point

---@class saltus.Spring: saltus.Element
---@field stiffness saltus.Value
---@field length? saltus.Value the rest length; default 0
---A spring between two points.
---@param options saltus.Spring
function spring(options) end

---@class saltus.Damper: saltus.Element
---@field damping saltus.Value
---A damper between two points.
---@param options saltus.Damper
function damper(options) end

---@class saltus.Rod: saltus.Element
---@field length saltus.Value
---Keeps the distance of two points; it has no mass.
---@param options saltus.Rod
function rod(options) end

---@class saltus.Bar: saltus.Rod
---@field mass saltus.Value
---A uniform bar between two points.
---@param options saltus.Bar
function bar(options) end

---@class saltus.BodyOptions
---@field mass saltus.Value
---@field inertia saltus.Value about the centre
---@field x? saltus.Value
---@field y? saltus.Value
---@field angle? saltus.Value
---@field speed? saltus.Value[] {vx, vy}
---@field spin? saltus.Value
---@field guess? number[] {x, y, angle}
---@field doc? string

---A rigid body: the coordinates name.x, name.y and name.angle.
---@param name string
---@param options saltus.BodyOptions
---@return saltus.Body
function body(name, options) end

---@class saltus.TorsionSpring: saltus.Element
---@field stiffness saltus.Value
---@field angle? saltus.Value the rest angle; default 0
---@field damping? saltus.Value
---@field of? saltus.Expression the angle itself
---A spring on the angle of a body, between two bodies, or of three points.
---@param options saltus.TorsionSpring
function torsion_spring(options) end

---@class saltus.Along: saltus.Element
---@field along saltus.Point[] {P, Q}
---@field offset? saltus.Value to the left of the line
---@field angle? saltus.Value
---@class saltus.Distance: saltus.Element
---@field length saltus.Value
---@class saltus.Weld: saltus.Element
---@field x? saltus.Value
---@field y? saltus.Value
---@field angle? saltus.Value

joint = {}
---A pin of two points.
---@param options saltus.Element
function joint.revolute(options) end
---A body that slides along a line.
---@param options saltus.Along
function joint.prismatic(options) end
---Keeps the pose of a body to another, or to the ground.
---@param options saltus.Weld
function joint.weld(options) end
---Keeps the distance of two points.
---@param options saltus.Distance
function joint.distance(options) end
---A pin in a slot.
---@param options saltus.Along
function joint.slot(options) end

---@class saltus.Motor: saltus.Element
---@field angle? saltus.Value prescribed
---@field position? saltus.Value prescribed
---@field torque? saltus.Value
---@field of? saltus.Expression the expression that it drives
---Prescribes a motion, or a torque.
---@param options saltus.Motor
function motor(options) end

---@class saltus.Gear: saltus.Element
---@field ratio saltus.Value turns of the second body per turn of the first; positive: in opposite directions
---@field carrier? saltus.Body the body that carries both; default: the ground
---@field angle? saltus.Value the value of ratio * A.angle + B.angle; default: its value at the start, or when its mode is entered
---Couples the rotations of two bodies.
---@param options saltus.Gear
function gear(options) end

---Keeps an expression that is linear in velocities at zero: a wheel that rolls, a blade.
---@param name string
---@param e saltus.Expression
---@param options? saltus.InMode
function rolling(name, e, options) end

---@class saltus.Circle
---@field [1] saltus.Point
---@field radius saltus.Value
---@class saltus.Coulomb
---@field static saltus.Value
---@field kinetic saltus.Value
---@class saltus.Contact: saltus.Element
---@field line? saltus.Point[] {A, B}; the free side is to the left
---@field circle? saltus.Circle it stays outside
---@field inside? saltus.Circle it stays inside
---@field gap? saltus.Value any expression of positions and time
---@field slip? saltus.Value with gap: the velocity that friction acts against
---@field friction? saltus.Value | saltus.Coulomb
---@field restitution? saltus.Value
---@field settle? saltus.Value slower than this, it closes
---@field rest? boolean
---@field slides? boolean
---@field sticks? boolean
---@field start? "open" | "closed"
---@field where? saltus.Expression | saltus.Expression[] it touches only where these are positive
---@field charge? table<string, saltus.Value> added to costs at each impact
---Keeps a gap from becoming negative.
---@param options saltus.Contact
function contact(options) end

---@class saltus.Friction: saltus.Element
---@field limit saltus.Value | saltus.Coulomb the largest force
---Dry friction on a coordinate or a velocity.
---@param options saltus.Friction
function friction(options) end

-- ---- modes and events

---@class saltus.ModeOptions
---@field group? string
---@field initial? boolean

---A mode; in each group one is active, at the start the first one.
---@param name string
---@param options? saltus.ModeOptions
---@return saltus.Mode
function mode(name, options) end

---@class saltus.EventOptions
---@field when? saltus.Expression the guard: it happens where this crosses zero
---@field direction? "falling" | "rising" | "any"
---@field from? saltus.Modes only there
---@field to? saltus.Modes active afterwards
---@field where? saltus.Expression | saltus.Expression[] all must be positive at the crossing
---@field set? table<saltus.Expression, saltus.Value> new values of coordinates, velocities, memories
---@field restitution? saltus.Value Newton's law on the guard
---@field charge? table<string, saltus.Value> added to costs
---@field stop? boolean | integer ends the run at this occurrence
---@field enter? "fire" | "wait" where the guard is beyond zero without having crossed it
---@field every? saltus.Value the period of a clock, instead of when
---@field phase? saltus.Value the time from the start to the first tick; default: every
---@field after? string the event that it follows, instead of when
---@field delay? saltus.Value the time after that event

---Something that happens at an instant.
---@param name string
---@param options saltus.EventOptions
function event(name, options) end

-- ---- measures

---@class saltus.CostOptions
---@field integral? saltus.Value over the motion
---@field final? saltus.Value at the end
---@field max? saltus.Value the largest value along the motion
---@field min? saltus.Value the smallest value along the motion
---@field at? saltus.Value[] times of samples
---@field of? saltus.Value what is sampled
---@field each? fun(k: integer): saltus.Value what is sampled at the k-th time
---@field unit? string
---@field doc? string

---A number to differentiate; without options, events charge it.
---@param name string
---@param options? saltus.CostOptions
function cost(name, options) end

---@class saltus.TextOptions
---@field unit? string
---@field doc? string

---One more column of the motion.
---@param name string
---@param e saltus.Value
---@param options? saltus.TextOptions
function output(name, e, options) end

---The columns of NAME.csv beside the model, or of the file of --data NAME=FILE.
---@param name string
---@return table<string, number[]>
function data(name) end

---@class saltus.MeasurementOptions
---@field of? saltus.Value with at: values of this at times
---@field at? number[]
---@field event? string the event whose times are measured, instead of `of` and `at`
---@field value number[]
---@field sigma? number | number[] standard deviation

---What 'saltus fit' compares the motion with.
---@param name string
---@param options saltus.MeasurementOptions
function measurement(name, options) end

---What repeats itself: start parameters, and expressions at the end that are equal to them.
---@param pairs table<saltus.Expression, saltus.Value>
function periodic(pairs) end

---@class saltus.Limit
---@field [1] string a cost
---@field equals? number
---@field min? number
---@field max? number
---@class saltus.Goal
---@field minimise string a cost
---@field over? string[] names of parameters; "u*" stands for many
---@field subject_to? saltus.Limit[]
---@field starts? integer
---@field shooting? integer
---@field sequences? "keep" | "free" | "search"
---@field engine? "sqp" | "nlopt" | "ipopt"

---What 'saltus optimise' does.
---@param goal saltus.Goal
function optimise(goal) end

---Start and end of the motion. Every model needs it.
---@param from number
---@param to saltus.Value
function horizon(from, to) end

-- ---- pictures

---@class saltus.Line: saltus.InMode
---@field style? "line" | "dashed" | "ground" | "bar" | "rod" | "spring" | "damper"
---@field name? string
---@class saltus.DrawCircle: saltus.InMode
---@field radius saltus.Value
---@field angle? saltus.Value a mark that turns
---@field name? string
---@class saltus.Trace: saltus.InMode
---@field name? string

draw = {}
---A line through points, each a point, a body or {x, y}.
---@param options saltus.Line
function draw.line(options) end
---@param options saltus.DrawCircle
function draw.circle(options) end
---A point that leaves a trace.
---@param options saltus.Trace
function draw.trace(options) end

-- ---- the rest

---@class saltus.SolverOptions
---@field rtol? number
---@field atol? number
---@field tol? number both
---@field integrator? "dop853" | "dopri5"
---@field max_step? number
---@field first_step? number
---@field rest_speed? number part of its fastest bounce below which a contact rests
---@field impacts? "together" | "one by one"
---@field max_steps? integer
---@field max_events? integer
---@field event_rate_min? number
---@field record_memory? integer
---@field fd_step? number
---@field alpha? number
---@field xi? number
---@field omega? number
---@field formulation? "index1" | "penalty"
---@field backend? "auto" | "interp" | "native"

---Options of the integrator; the command line overrides them.
---@param options saltus.SolverOptions
function solver(options) end

---Runs another file beside the model; with a prefix, its names get it and a point.
---@param file string
---@param prefix? string
---@param ... any given to the file
---@return any
function include(file, prefix, ...) end
