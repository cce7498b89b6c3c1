#!/usr/bin/env bash
# saltus optimise: options, JSON, exit status, files.
. "$(dirname "$0")/common.sh" "$@"

cat > bowl.lua << 'LUA'
model "bowl"
local a, b = param("a", 3), param("b", 1, {lower = -2, upper = 2})
local x = coordinate("x", {start = a})
mass(x, 1)
cost("bowl", {final = (a - 1)^2 + (b - 5)^2})
cost("sum", {final = a + b})
cost("down", {final = -a})
horizon(0, 1)
optimise {minimise = "bowl", over = {"a", "b"}}
LUA

run "$saltus" optimise bowl.lua --json -o best.json
expect_status 0 "an optimum"
flatten out.txt > flat
expect_equal "$(value_at flat status)" "converged" "status"
expect_equal "$(value_at flat parameters.b)" "2.0" "an upper bound"
for key in kkt counts.runs counts.gradients costs.sum.value; do
    claim
    [[ -n $(value_at flat $key) ]] || fail "there is no $key" "$out"
done
run "$saltus" run bowl.lua --params best.json --json
expect_status 0 "-o is a file for --params"
flatten out.txt > flat
expect_equal "$(value_at flat parameters.b)" "2.0" "the value of --params"

run "$saltus" optimise bowl.lua --over 'b' --subject 'sum = 4' --subject 'down<=0'
expect_status 0 "limits"
expect_out "= 4" "limits are shown"

run "$saltus" optimise bowl.lua --over b --subject 'sum >= 9' --json
expect_status 3 "limits that cannot be met"
flatten out.txt > flat
expect_equal "$(value_at flat status)" "infeasible" "status of limits that cannot be met"
expect_err "'sum' is 5, but should be at least 9" "which limit"

run "$saltus" optimise bowl.lua --minimise down --over a
expect_status 3 "no lower bound"
expect_err "no lower bound" "no lower bound"

sed 's/over = {"a", "b"}}/over = {"a", "b"}, subject_to = {sum = 4}}/' bowl.lua > named.lua
run "$saltus" optimise named.lua
expect_status 2 "a limit by name, where a list is expected"
expect_err "subject_to: is a list without names: leave 'sum =' out" "which name"

run "$saltus" optimise bowl.lua --minimise bowll
expect_status 1 "a cost that is not there"
expect_err "did you mean 'bowl'?" "the nearest cost"
run "$saltus" optimise bowl.lua --over 'c*'
expect_status 1 "no parameter matches"
expect_err "no parameter has such a name" "the pattern"
run "$saltus" optimise bowl.lua --subject 'sum'
expect_status 1 "a limit without a number"
expect_err "must be like" "a limit without a number"
run "$saltus" optimise bowl.lua --starts 0
expect_status 1 "no start"
run "$saltus" optimise bowl.lua --sequences never
expect_status 1 "unknown sequences"

run "$saltus" optimise bowl.lua --sequences search --starts 3 --json
expect_status 0 "search"
flatten out.txt > flat
claim
[[ -n $(value_at flat optima.0.cost) ]] || fail "a table of optima" "$out"

# ---- the report: before, after, and the search between them
run "$saltus" optimise bowl.lua -o best.json --json
flatten out.txt > flat
claim
[[ -n $(value_at flat history.0.kkt) ]] || fail "the history of the search" "$out"
if "$saltus" report bowl.lua best.json -o two.html > out.txt 2> err.txt; then
    claim
    grep -q '"answer":{"status":"converged"' two.html || fail "the search is in the report"
fi

# ---- Ctrl-C keeps the best point
set -m
env --default-signal=INT "$saltus" optimise "$source_dir/models/five_bar.lua" --minimise int_dev2_point2 --over L01,L02 \
    --starts 2000 --json -o stopped.json > out.txt 2> err.txt < /dev/null &
pid=$!
sleep 2
kill -INT $pid
wait $pid
status=$?
command_line="optimise, interrupted" err=$(cat err.txt)
expect_status 130 "interrupted"
flatten out.txt > flat
expect_equal "$(value_at flat status)" "interrupted" "status of an interrupted search"
run "$saltus" run "$source_dir/models/five_bar.lua" --params stopped.json
expect_status 0 "the best point is kept"

finish
