#!/bin/bash
# saltus check: what it says of right models at all tolerances, of wrong events, and its verdict.
. "$(dirname "$0")/common.sh" "$@"
models="$source_dir/models"

# ---- right answers pass at any tolerance
for model in two_walls string_taut coulomb hopper chain; do
    for tolerance in 1e-3 1e-5 1e-7 1e-10 1e-12; do
        run "$saltus" check "$models/$model.lua" --tol "$tolerance"
        expect_status 0 "check $model at $tolerance"
        expect_out "none missed" "check $model at $tolerance"
    done
done

# ---- the verdict, in words and as JSON
run "$saltus" check "$models/two_walls.lua"
expect_out "trust 12 digits of the gradient of lost, x_end, path" "the verdict"
run "$saltus" check "$models/hopper.lua" --tol 1e-5 --json
expect_out '"trust"' "the verdict as JSON"
expect_out '"method": "' "the method to believe"

# ---- a gradient that is zero is called so, and is no failure
cat > zero.lua << 'LUA'
model "out and back"
local p = param("p", 1)
local x = coordinate("x", {start = 0, speed = 1})
mass(x, 1)
force(x, -p * x)
cost("none", {final = x - x + 0 * p})
cost("some", {final = x})
horizon(0, 1)
LUA
run "$saltus" check zero.lua
expect_status 0 "a zero gradient"
expect_out "that it is zero: none" "a zero gradient"

# ---- a final cost that is infinite at the start has a size where it counts, and a gradient that is not zero
cat > inverse.lua << 'LUA'
model "one over the time of a fall"
local g = param("g", 9.81)
local y = coordinate("y", {start = 1})
mass(y, 1)
force(y, -g)
event("floor", {when = y, direction = "falling", stop = true})
cost("inverse", {final = 1 / t})
horizon(0, 2)
LUA
run "$saltus" check inverse.lua
expect_status 0 "one over the time"
expect_out "digits of the gradient of inverse" "one over the time"
expect_equal "$(grep -c ' inf ' out.txt)" 0 "infinite allowances of one over the time"

# ---- costs that are nothing but rounding, whatever the units: their terms elsewhere on the motion tell
cat > stop.lua << 'LUA'
model "a body that comes to rest on a stop"
local unit = setting("unit", 1)
local h, g, m = param("h", 0.7 * unit), param("g", 9.81 * unit), param("m", 1.3)
local y = coordinate("y", {start = h})
mass(y, m)
force(y, -m * g)
contact {gap = y, restitution = 0.4, settle = 0.5 * unit}
cost("rest", {final = y})
cost("speed", {final = dot(y)})
cost("square", {final = y^2})
cost("action", {integral = dot(y)^2})
horizon(0, 1.5)
LUA
rounding="trust 12 digits of the gradient of action; that it is zero: rest, speed, square"
for unit in 1e-6 1 1e6; do
    for tolerance in 1e-3 1e-6 1e-9 1e-12; do
        run "$saltus" check stop.lua --set unit=$unit --tol $tolerance
        expect_status 0 "rounding in units of $unit at $tolerance"
        expect_out "$rounding" "rounding in units of $unit at $tolerance"
    done
done
for scaled in "1e-6 1e-13" "1 1e-7" "1e6 1e-1"; do
    run "$saltus" check stop.lua --set unit="${scaled% *}" --rtol 1e-7 --atol "${scaled#* }"
    expect_status 0 "unit and absolute tolerance $scaled"
    expect_out "$rounding" "unit and absolute tolerance $scaled"
done

# ---- nor is what an event adds to a cost where it is zero, because the event is there
cat > nothing.lua << 'LUA'
model "charge of nothing"
local p, h = param("p", 1.25), param("h", 0.7)
local x = coordinate("x", {start = h})
mass(x, 1)
force(x, -p * cos(3 * t) - 2 * x)
event("zero", {when = x, direction = "falling", set = {[dot(x)] = -0.3 * dot(x)}, charge = {nothing = x}})
cost("nothing")
cost("x", {final = x})
horizon(0, 2)
LUA
for tolerance in 1e-4 1e-6 1e-9 1e-11; do
    run "$saltus" check nothing.lua --tol $tolerance
    expect_status 0 "a charge of nothing at $tolerance"
    expect_out "that it is zero: nothing" "a charge of nothing at $tolerance"
done

# ---- nor is what a body that lies on a table moves by
cat > lying.lua << 'LUA'
model "lying"
local A, g, m = param("A", 12.435), param("g", 10.336), param("m", 1.814)
local y = coordinate("y", {guess = 0})
mass(y, m)
force(y, -m * g + A * max(0, 1 - ((t - 1.67) / 0.251)^2))
contact {gap = y, slides = true, start = "closed", name = "table"}
cost("y", {final = y})
cost("top", {max = y})
cost("push", {integral = -multiplier("table")})
horizon(0, 2.24)
LUA
for tolerance in 1e-3 1e-7 1e-11; do
    run "$saltus" check lying.lua --tol $tolerance
    expect_status 0 "a body at rest at $tolerance"
    expect_out "that it is zero: y, top" "a body at rest at $tolerance"
done

# ---- but what has faded to 4e-8 is no rounding
cat > fade.lua << 'LUA'
model "fades away"
local w = param("w", 10)
local x = coordinate("x", {start = 1})
mass(x, 1)
force(x, -w^2 * x - 2 * w * dot(x))
cost("left", {final = x})
horizon(0, 2)
LUA
run "$saltus" check fade.lua --tol 1e-12
expect_status 0 "a small cost"
expect_out "digits of the gradient of left" "a small cost"

# ---- an event at the start: its rows stand for the first one, along tangents and adjoints alike
cat > lifted.lua << 'LUA'
model "lifted from the start"
local p = param("p", 1)
local y = coordinate("y", {guess = 0})
mass(y, 1)
force(y, p * t)
contact {gap = y, slides = true, start = "closed"}
cost("y", {final = y})
horizon(0, 3)
LUA
run "$saltus" check lifted.lua
expect_status 0 "an event at the start"
"$saltus" gradient lifted.lua --method direct -o direct.csv > /dev/null
"$saltus" gradient lifted.lua --method adjoint -o adjoint.csv > /dev/null
cut -d, -f1,2 direct.csv > direct.rows
cut -d, -f1,2 adjoint.csv > adjoint.rows
expect_same direct.rows adjoint.rows "rows of an event at the start"

# ---- an event that a loose tolerance misses is no failure where no cost depends on it, else it is
cat > hardly.lua << 'LUA'
model "hardly over a level"
local p = param("p", 1)
local x = coordinate("x", {start = 0, speed = p})
mass(x, 1)
force(x, -x)
cost("work", {integral = x^2 + max(x - 0.99999, 0)^2})
horizon(0, 3)
LUA
cat > counted.lua << 'LUA'
model "a level that counts"
local p = param("p", 1)
local x = coordinate("x", {start = 0, speed = 3 * p})
mass(x, 1)
force(x, -9 * x)
local n = memory("n", 0)
event("over", {when = x - 0.9999999, direction = "rising", set = {[n] = n + 1}})
cost("work", {integral = x^2, final = n})
horizon(0, 1)
LUA
for integrator in dopri5 dop853; do
    run "$saltus" check hardly.lua --tol 1e-3 --integrator $integrator
    expect_status 0 "a kink hardly passed"
    expect_out "no cost depends on it" "a kink hardly passed"
    run "$saltus" check counted.lua --tol 1e-3 --integrator $integrator
    expect_status 4 "an event that counts"
    expect_out "at tolerance 1e-09, event number 1 is 'over'" "an event that counts"
done

# ---- a pole is no event, however much the tolerance leaves open beside it
cat > pole.lua << 'LUA'
model "over a pole"
local p = param("p", 1)
local x = coordinate("x", {start = -1, speed = p})
mass(x, 1)
event("zero", {when = (x - 3) / (x - 5)})
cost("x", {final = x})
horizon(0, 10)
LUA
run "$saltus" check pole.lua --tol 1e-3
expect_status 0 "a pole"

# ---- a discontinuity that is no event: methods agree on a wrong gradient, differences do not
cat > cut.lua << 'LUA'
model "over a pole"
local w = param("w", 1.3)
local x = coordinate("x", {start = 0, speed = w})
mass(x, 1)
cost("angle", {integral = atan(tan(x))}) -- jumps by pi, which nothing says
horizon(0, 3)
LUA
run "$saltus" check cut.lua
expect_status 4 "a gradient that is wrong by all formulas"
expect_out "no digit of angle" "nothing is trusted"

# ---- at rest, steps are far too long for the discrete adjoint, which has no right digit: it is not the measure of others
cat > rest.lua << 'LUA'
model "rest"
local u = param("u", 0)
local x = coordinate("x")
mass(x, 1)
force(x, -100^2 * x + u)
cost("x", {final = x})
horizon(0, 3)
LUA
run "$saltus" check rest.lua
expect_status 0 "a motion at rest"
expect_out "adjoint = direct " "the measure is the adjoint"
expect_out "by u: the steps are too long for discrete; auto takes adjoint" "what discrete has lost"
claim
[[ $out != *"is zero"* && $out != *FAIL* ]] || fail "the gradient is not zero" "$out"

# ---- the remainder of the Taylor test has a third order that nearly cancels its second one: no linear part
cat > third.lua << 'LUA'
model "third order"
local T, p, q = param("T", 1.9), param("p", 1.4), param("q", -0.7)
local y = coordinate("y", {start = -0.2, speed = 0.8 * p})
mass(y, 2)
force(y, -1.6 * p * (t - 0.5) - 1.8 * q)
cost("y", {final = y})
horizon(0, T)
LUA
for seed in 0 1 2 3; do
    run "$saltus" check third.lua --seed $seed --tol 1e-4 --max-step 0.475
    expect_status 0 "a third order, seed $seed"
done

# ---- long steps of a polynomial motion, in units of 12 days: both histories of duality are interpolated inside of them
cat > dual.lua << 'LUA'
model "polynomials"
local T = param("T", 3.080139491781252)
local p = param("p", 1.018064829043924)
local q = param("q", 0.7143326492908366)
local TS, L, t0 = 1048576.0, 0.001, 0.0
local tt = (t - t0) / TS
local k = memory("k", 0)
local x_ = coordinate("x", {start = L * (q * (-0.3147606796246798)), speed = L / TS * (-0.9603937803888642)})
local x, xd, xdd = x_ / L, dot(x_) * (TS / L), ddot(x_) * (TS^2 / L)
mass(x_, 1.0)
force(x_, 1.0 * L / TS^2 * ((((tt - 1.408288178481074) * ((-1.3537926408968057) * (tt - 1.3482042776561272))) + (q * 0.8783378990332869))))
local y_ = coordinate("y", {start = L * (-0.1827387669589562), speed = L / TS * (p * 0.1060319917793704)})
local y, yd, ydd = y_ / L, dot(y_) * (TS / L), ddot(y_) * (TS^2 / L)
mass(y_, 1.0)
force(y_, 1.0 * L / TS^2 * (((0.23873939248617937 * (tt - 0.3751454393070937)) * (tt - 2.0807754541282764))))
local z_ = coordinate("z", {start = L * (-0.012479633533615031), speed = L / TS * 0.7416772744353535})
local z, zd, zdd = z_ / L, dot(z_) * (TS / L), ddot(z_) * (TS^2 / L)
mass(z_, 1.0)
force(z_, 1.0 * L / TS^2 * (((p * (xd - (-0.9042946559090955))) + (q * (-0.9891024621995672)))))
event("m0", {when = (z - 0.24371965624008407), set = {[k] = (-0.7568206632392784)}})
event("m1", {when = (tt - 1.896546479980661), set = {[dot(x_)] = L / TS * ((k + 1))}})
cost("p1", {min = ((xdd * tt) + k)})
cost("fx", {final = x})
cost("vx", {final = xd})
cost("fy", {final = y})
cost("vy", {final = yd})
cost("fz", {final = z})
cost("vz", {final = zd})
horizon(t0, t0 + TS * T)
LUA
run "$saltus" check dual.lua --tol 1e-5 --integrator dopri5 --max-step 926490
expect_status 0 "duality in long steps"
finish
