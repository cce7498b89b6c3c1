#!/usr/bin/env bash
# gradient and check: numbers in closed form, tables, exit statuses.
. "$(dirname "$0")/common.sh" "$@"

# ---- closed form: the first impact is at sqrt(2 h / g), d/dh = 1 / sqrt(2 g h)
for method in adjoint discrete direct fd; do
    tolerance=1e-7
    [[ $method == fd ]] && tolerance=1e-4
    run "$saltus" gradient ball.lua --method $method --event-times --json
    expect_status 0 "gradient by $method"
    flatten out.txt > flat
    expect_near "$(value_at flat costs.area.gradient.h)" 0.9571097327 $tolerance "$method: area, h"
    expect_near "$(value_at flat costs.area.gradient.e)" 1.9890589421 $tolerance "$method: area, e"
    expect_near "$(value_at flat costs.height.gradient.h)" 0.4266108644 $tolerance "$method: height, h"
    expect_near "$(value_at flat costs.height.gradient.e)" 2.4993241081 $tolerance "$method: height, e"
    expect_near "$(value_at flat events.0.time_gradient.h)" 0.2257618205 $tolerance "$method: time, h"
    expect_near "$(value_at flat events.2.time_gradient.e)" 2.3479229330 $tolerance "$method: time, e"
    expect_equal "$(value_at flat end_gradient.h | tr -d -)" "0.0" "$method: the end does not move"
done

# ---- the end moves if an event stops the run
sed 's/restitution = e})/restitution = e, stop = 2})/' ball.lua > stop.lua
run "$saltus" gradient stop.lua --json
expect_status 0 "a run that an event stops"
flatten out.txt > flat
expect_equal "$(value_at flat end)" "floor" "end"
expect_near "$(value_at flat final.time)" 1.1739614665629003 1e-9 "the time of the second impact"
expect_near "$(value_at flat end_gradient.e)" 0.9030472820 1e-7 "the end moves"
run "$saltus" gradient stop.lua
expect_out "gradient of the end time" "a table of its own"
expect_out "(end)  1.173961467  0.5869807333  0.903047282" "the end in it"
run "$saltus" gradient stop.lua --event-times
expect_out "     (end)  1.173961467  0.5869807333  0.903047282" "the end among the event times"

# ---- tables
run "$saltus" gradient ball.lua
expect_out "gradient (direct)" "the table of one method"
expect_out "  2  floor  1.173961467
" "the events that happened"
claim
[[ $out != *"event times"* ]] || fail "derivatives of event times only for those who ask" "$out"
run "$saltus" gradient ball.lua --event-times
expect_out "gradient of the event times" "the table of event times"
expect_out "  2  floor  1.173961467  0.5869807333  0.903047282" "its rows"
run "$saltus" gradient ball.lua --method discrete,direct --event-times
expect_out "gradient of the event times" "several methods"
run "$saltus" gradient ball.lua --event-times --repeat 2
expect_out "gradient of the event times" "with --repeat too"
run "$saltus" gradient ball.lua --method adjoint,direct,fd
expect_out "largest disagreement" "several methods"
run "$saltus" gradient ball.lua --repeat 2
expect_out "seconds, fastest" "--repeat"

# ---- auto: direct for few parameters and many costs, discrete for many parameters
{
    echo 'model "choice" local k = {}'
    echo 'for i = 1, 20 do k[i] = param("k" .. i, i) end'
    echo 'local x, sum = coordinate("x", {start = 1}), 0'
    echo 'for i = 1, 20 do sum = sum + k[i] end'
    echo 'mass(x, 1) potential(0.05 * sum * x^2)'
    echo 'for i = 1, 20 do cost("c" .. i, {integral = x^i}) end'
    echo 'event("middle", {when = x}) horizon(0, 2)'
} > choice.lua
chosen() { # method, words
    run "$saltus" gradient choice.lua "${@:2}" --json
    flatten out.txt > flat
    expect_equal "$(value_at flat method)" "$1" "auto with ${*:2}"
    grep '^costs' flat > automatic.txt
    run "$saltus" gradient choice.lua "${@:2}" --method "$1" --json
    flatten out.txt | grep '^costs' > named.txt
    expect_same automatic.txt named.txt "the numbers are those of $1"
    run "$saltus" gradient choice.lua "${@:2}"
    expect_out "gradient ($1)" "the table says which"
}
chosen direct --wrt k1
chosen direct --wrt 'k2*' --method auto
chosen discrete --cost c1
chosen discrete --cost 'c1*' --repeat 2
chosen discrete
chosen discrete --wrt k1 --cost c1
run "$saltus" gradient choice.lua --wrt k1 --method auto,discrete --json
flatten out.txt > flat
expect_equal "$(value_at flat method)" "direct,discrete" "auto among others"
run "$saltus" gradient choice.lua --wrt k1,k2 --method auto,direct --json
flatten out.txt > flat
expect_equal "$(value_at flat method)" "direct" "what is chosen and named is computed once"
run "$saltus" gradient choice.lua --wrt k1 --cost c1,c2 -o adjoints.csv --quiet
expect_equal "$(head -n 1 adjoints.csv | cut -d, -f3)" "d(c1)/d(x)" "-o: adjoints, as ever"

# ---- no parameters, no costs
sed '/^local g/s/.*/local g = 9.81/; /^local h/s/param("h", 1, .*)/1/; /^local e/s/param("e", 0.8, .*)/0.8/' \
    ball.lua > constant.lua
run "$saltus" gradient constant.lua --json
expect_status 0 "a model without parameters"
expect_err "nothing to differentiate" "a model without parameters"
run "$saltus" check constant.lua
expect_status 0 "check of a model without parameters"
sed '/^cost/d' ball.lua > free.lua
run "$saltus" gradient free.lua
expect_status 0 "a model without costs"
run "$saltus" check free.lua
expect_status 0 "check of a model without costs"

# ---- check
run "$saltus" check ball.lua
expect_status 0 "check"
expect_out "checks passed" "check"
expect_out "Taylor test" "check"
expect_out "conserved" "check: the energy of the flight"
run "$saltus" check ball.lua --json
flatten out.txt > flat
expect_equal "$(value_at flat passed)" "true" "check --json"
claim
grep -q '^checks.*result "fail"' flat && fail "no check fails" "$(cat flat)"
run "$saltus" check ball.lua --seed 7 --tol 1e-6
expect_status 0 "check at a loose tolerance"

# ---- a gradient that is zero: rounding is compared with the cost, not with itself
cat > decoupled.lua << 'LUA'
model "decoupled"
local m1, m2 = param("m1", 1), param("m2", 2)
local x = coordinate("x", {start = 1})
local y = coordinate("y", {start = 1})
mass(x, m1)
mass(y, m2)
potential(0.5 * 10 * x^2 + 0.5 * m2 * 50 * y^2)
event("x0", {when = x, direction = "falling", restitution = 0.9})
cost("y", {final = y})
horizon(0, 5)
LUA
run "$saltus" check decoupled.lua
expect_status 0 "check of a gradient that is zero"
expect_out "zero to the tolerance" "check says so"
run "$saltus" gradient decoupled.lua --method direct,discrete --json
flatten out.txt > flat
expect_near "$(value_at flat disagreement.value)" 0 1e-6 "the disagreement of zeros"
run "$saltus" check ball.lua
claim
grep -q "zero to the tolerance" out.txt && fail "a gradient that is not zero" "$out"

# ---- how far a gradient reaches: three bounces in two seconds, in closed form
run "$saltus" gradient "$source_dir/models/bouncing_ball.lua" --set v0=0 --wrt h0,e --trust --json
expect_status 0 "--trust"
flatten out.txt > flat
expect_near "$(value_at flat trust.h0.lower)" 0.815827010743302 1e-8 "--trust: h0 from"
expect_near "$(value_at flat trust.h0.upper)" 1.30327346157934 1e-8 "--trust: h0 to"
expect_near "$(value_at flat trust.e.lower)" 0.745289901417444 1e-8 "--trust: e from"
expect_near "$(value_at flat trust.e.upper)" 0.901685934521357 1e-8 "--trust: e to"
expect_equal "$(value_at flat trust.h0.ends.upper)" "'floor' 3 leaves the horizon" "--trust: what ends it"
run "$saltus" gradient "$source_dir/models/bouncing_ball.lua" --set v0=0 --wrt e --trust
expect_out "'floor' 4 enters the horizon" "--trust: a table"

# ---- second derivatives: e^6 (v0^2 / 2 + g h0)
run "$saltus" gradient "$source_dir/models/bouncing_ball.lua" --cost energy_tF --wrt e,h0 --hessian --json
expect_status 0 "--hessian"
flatten out.txt > flat
expect_near "$(value_at flat hessian.energy_tF.matrix.e.e)" 122.08128 1e-6 "--hessian: e, e"
expect_near "$(value_at flat hessian.energy_tF.matrix.e.h0)" 19.2872448 1e-6 "--hessian: e, h0"
expect_near "$(value_at flat hessian.energy_tF.matrix.h0.e)" 19.2872448 1e-6 "--hessian: h0, e"
expect_near "$(value_at flat hessian.energy_tF.matrix.h0.h0)" 0 1e-6 "--hessian: h0, h0"
run "$saltus" gradient "$source_dir/models/bouncing_ball.lua" --cost energy_tF --wrt e,h0 --hessian
expect_out "second derivatives of energy_tF" "--hessian: a table"

# ---- peaks: where they are, in the table and in JSON; samples are shown
cat > peaks.lua << 'LUA'
model "peaks"
local v = param("v", 3)
local y = coordinate("y", {speed = v})
mass(y, 1)
force(y, -10)
event("floor", {when = y, direction = "falling", restitution = 0.5})
cost("top", {max = y})
cost("fall", {min = dot(y)})
cost("two", {at = {0.1, 0.2}, of = y})
horizon(0, 1)
LUA
run "$saltus" gradient peaks.lua --json
expect_status 0 "gradients of peaks"
flatten out.txt > flat
expect_near "$(value_at flat costs.top.value)" 0.45 1e-9 "the highest point"
expect_near "$(value_at flat costs.top.gradient.v)" 0.3 1e-8 "its gradient"
expect_equal "$(value_at flat costs.top.peak.place)" "inside" "its place"
expect_near "$(value_at flat costs.top.peak.t)" 0.3 1e-7 "its time"
expect_equal "$(value_at flat costs.fall.peak.place)" "before" "a peak before an event"
expect_equal "$(value_at flat costs.fall.peak.event)" "floor" "which event"
run "$saltus" run peaks.lua
expect_out "before floor (1)" "a table of peaks"
run "$saltus" show peaks.lua --json
flatten out.txt > flat
expect_equal "$(value_at flat description.costs.0.max)" "y" "what has a peak"
expect_equal "$(value_at flat description.costs.1.min)" "dot(y)" "what has a lowest value"
expect_equal "$(value_at flat description.costs.2.samples)" "2" "samples of a cost"
run "$saltus" check peaks.lua
expect_status 0 "check of peaks"

# ---- grazing: no gradient, and never a number
cat > graze.lua << 'LUA'
model "graze"
local h = param("h", 1)
local x = coordinate("x", {start = -1, speed = 1})
mass(x, 1)
event("touch", {when = x^3 * h, direction = "rising"})
cost("end", {final = x})
horizon(0, 2)
LUA
run "$saltus" run graze.lua
expect_status 0 "a grazing event can be simulated"
run "$saltus" gradient graze.lua --json
expect_status 3 "a grazing event has no gradient"
flatten out.txt > flat
expect_equal "$(value_at flat error.status)" "ERR_GRAZING" "error.status"
claim
grep -q '^costs.end.gradient' flat && fail "no number where there is no gradient"
expect_near "$(value_at flat costs.end.value)" 1 1e-9 "the cost itself is there"
run "$saltus" check graze.lua
expect_status 3 "check of a grazing event"

finish
