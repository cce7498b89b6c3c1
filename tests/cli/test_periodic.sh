#!/usr/bin/env bash
# saltus periodic and saltus equilibrium: JSON, exit statuses, files, messages.
. "$(dirname "$0")/common.sh" "$@"

cat >wheel.lua <<'LUA'
local alpha, slope = param("alpha", math.pi / 8), param("slope", 0.08)
local w0 = param("w0", 1)
local th = coordinate("theta", {start = slope - alpha, speed = w0})
mass(th, 1)
force(th, 9.81 * sin(th))
event("next spoke", {when = th - slope - alpha, direction = "rising", stop = 1})
cost("energy", {final = dot(th)^2 / 2})
periodic {[w0] = cos(2 * alpha) * dot(th)}
horizon(0, 10)
LUA

run "$saltus" periodic wheel.lua --json
expect_status 0 "a gait is found"
expect_out '"status": "converged"' "its status"
flatten out.txt >flat
expect_near "$(value_at flat fixed_point.w0)" 1.0954628396476568 1e-11 "the fixed point"
expect_near "$(value_at flat period)" 1.0345498114232793 1e-11 "its period"
expect_near "$(value_at flat multipliers.0.abs)" 0.5 1e-10 "its multiplier"
expect_near "$(value_at flat multipliers.0.gradient.alpha.re)" -2 1e-9 "the gradient of the multiplier"
expect_near "$(value_at flat gradient.slope.w0)" 6.8320303408352119 1e-10 "the gradient of the fixed point"
expect_near "$(value_at flat period_gradient.slope)" -25.107112409066508 1e-9 "the gradient of the period"
expect_near "$(value_at flat parameters.w0)" 1.0954628396476568 1e-11 "the parameters"
expect_out '"next spoke"' "the events on it"
claim
[[ $(grep -c '"periodic{' out.txt) == 0 ]] || fail "what repeats itself is no cost"

# The result is a file of parameters.
run "$saltus" periodic wheel.lua -o gait.json --quiet
expect_status 0 "a gait is kept"
run "$saltus" run wheel.lua --params gait.json --json
expect_status 0 "it is a file of parameters"
flatten out.txt >flat
expect_near "$(value_at flat final.time)" 1.0345498114232793 1e-7 "and the run is the gait"
run "$saltus" run wheel.lua --json
claim
grep -q '"periodic{' out.txt && fail "other commands see nothing of it"

# The best point is printed and kept where there is no gait.
run "$saltus" periodic wheel.lua --set slope=0.01 --json -o best.json
expect_status 3 "no gait on a flat slope"
expect_err "horizon" "why there is none"
claim
[[ -s best.json ]] || fail "the best point is kept"

# Mistakes.
sed '/^periodic/d' wheel.lua >without.lua
run "$saltus" periodic without.lua
expect_status 2 "a model without the statement"
expect_err "periodic{[x0] = x" "what to write"
sed 's/^periodic.*/local k = param("k", 1) force(th, k * 0) periodic {[k] = dot(th)}/' wheel.lua >other.lua
run "$saltus" periodic other.lua
expect_status 2 "one that they do not"
expect_err "other.lua:8" "where it is"
expect_err "'k'" "which one it is"
sed 's/\[w0\] =/w0 =/' wheel.lua >text.lua
run "$saltus" periodic text.lua
expect_status 2 "a name in place of a parameter"
expect_err "[w0]" "the brackets"

# Along a parameter.
run "$saltus" periodic wheel.lua --along slope=0.075:0.1:0.01 -o family.csv
expect_status 0 "a family is followed"
claim
[[ $(head -n 1 family.csv) == 'kind,"slope","w0",period,stable,re1,im1' ]] || fail "the columns of the file"
run "$saltus" periodic wheel.lua --along slope=0.075:0.1:0.01 --json
expect_out '"points": [' "its points"
for wrong in slope slope=1 slope=1:2 slope=1:2:x slope=1:2:3:4 nothing=1:2:0.1 w0=1:2:0.1 slope=1:1:0.1 slope=1:2:0; do
    run "$saltus" periodic wheel.lua --along "$wrong"
    expect_status 1 "--along $wrong"
done
run "$saltus" periodic wheel.lua --along slope=1:2
expect_err "NAME=FROM:TO:STEP" "what to write"

# Equilibria.
run "$saltus" equilibrium "$source_dir/models/five_bar.lua" --json
expect_status 0 "the five-bar can rest"
expect_out '"stability": "neutral"' "its stability"
expect_out '"eigenvalues": [' "its eigenvalues"
run "$saltus" equilibrium "$source_dir/models/bouncing_ball.lua" --json
expect_status 3 "a ball in the air cannot"
expect_out '"status": "stalled"' "its status"
expect_err "'y' is still -9.81" "what is left"

finish
