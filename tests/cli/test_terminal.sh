#!/usr/bin/env bash
# What is different on a terminal: colours, folded tables, the line that shows how far work has come.
. "$(dirname "$0")/common.sh" "$@"

command -v script > /dev/null || { echo "skipped: no script(1), which makes a terminal" && exit 0; }

escape=$'\033['
terminal() { # columns, words: run on a terminal that wide
    local columns=$1
    shift
    command_line="$*"
    printf '%q ' "$saltus" "$@" > words
    SHELL=/bin/bash TERM=xterm script -qec "stty cols $columns; $(cat words)" /dev/null > out.txt < /dev/null
    status=$?
    out=$(tr -d '\r' < out.txt) err=$out
}
expect_without() { # text, what
    claim
    [[ $out != *"$1"* ]] || fail "$2: '$1' in the output of $command_line" "$out"
}

# ---- colours
terminal 100 run ball.lua
expect_status 0 "on a terminal"
expect_out "${escape}1mcosts${escape}0m" "titles are bold"
terminal 100 models
expect_out "${escape}1mchain " "names of models are bold"
terminal 100 run ball.lua --no-color
expect_without "$escape" "--no-color"
NO_COLOR=1 terminal 100 run ball.lua
expect_without "$escape" "NO_COLOR"
terminal 100 run bal.lua
expect_out "${escape}31merror:${escape}0m" "errors are red"
terminal 100 run ball.lua --json
expect_without "$escape" "JSON has no colours"
run "$saltus" run ball.lua
expect_without "$escape" "a file has no colours"

# Derivatives are coloured by their sign, and by what a relative change of the parameter does.
cat > signs.lua << 'END'
local a, b, c, d = param("a", 1), param("b", 2), param("c", 1), param("d", 1)
local x = coordinate("x", {start = 1})
mass(x, 1)
horizon(0, 1)
cost("sum", {final = 5 * a - 5 * b + c + 0.001 * d + x})
END
terminal 100 gradient signs.lua
expect_out "${escape}1;33m-5${escape}0m" "a large negative derivative"
expect_out "${escape}1;36m5${escape}0m" "a large positive derivative"
expect_out "${escape}36m1${escape}0m" "a derivative in between"
expect_out "${escape}2m0.001${escape}0m" "a small derivative"
NO_COLOR=1 terminal 100 gradient signs.lua
expect_without "$escape" "NO_COLOR: derivatives"
terminal 100 gradient signs.lua --digits 3 --no-color
expect_without "$escape" "--no-color: derivatives"

# ---- tables and lists are folded
for columns in 60 80 120; do
    terminal $columns models --no-color
    claim
    awk -v most=$columns 'length > most && !/^.saltus models NAME/ { exit 1 }' <<< "$out" ||
        fail "a list of $columns columns" "$out"
    terminal $columns gradient ball.lua --no-color
    claim
    awk -v most=$columns 'length > most { exit 1 }' <<< "$out" || fail "a table of $columns columns" "$out"
done

# Notes that do not fit follow below, for rows that have one.
terminal 80 check ball.lua --no-color
expect_out "allowed  result" "results are beside the values"
claim
awk 'length > 80 { exit 1 }' <<< "$out" || fail "notes are folded between words" "$out"
expect_equal "$(sed -n '/ note/,/^.*trust/p' <<< "$out" | grep -c '^  discrete')" 0 "rows without a note are not repeated"
expect_equal "$(sed -n '/ note/,/^.*trust/p' <<< "$out" | grep -c '^  Taylor test')" 1 "rows with a note are"

# ---- --verbose tells what the steps were like
run "$saltus" run ball.lua --verbose --backend interp --json
flatten out.txt > flat
run "$saltus" run ball.lua --verbose --backend interp
work() { sed -n "s/^  $1   *//p" out.txt; }
expect_equal "$(work steps)" "$(value_at flat stats.steps)" "steps"
expect_equal "$(work evaluations)" "$(value_at flat stats.evaluations)" "evaluations"
expect_near "$(work 'length of a step, mean')" \
    "$(awk -v n="$(work steps)" 'BEGIN { print 2 / n }')" 5e-3 "the mean length of a step"
claim
awk -v low="$(work 'length of a step, smallest')" -v high="$(work 'length of a step, largest')" \
    -v mean="$(work 'length of a step, mean')" 'BEGIN { exit !(0 < low && low < mean && mean < high) }' ||
    fail "the smallest and the largest step" "$out"
expect_near "$(work 'evaluations per step')" \
    "$(awk -v n="$(work steps)" -v e="$(work evaluations)" 'BEGIN { print e / n }')" 5e-3 "per step"
expect_equal "$(work kernels)" "interpreted" "how they were evaluated"

# How long it stayed in each mode: from event to event.
run "$saltus" run "$source_dir/models/coulomb_modes.lua" --verbose
expect_out "mode      stays  time  steps" "a table of modes"
expect_near "$(awk '/^modes/ { inside = 1 } inside && $1 == "forward" { print $3 }' out.txt)" \
    "$(awk '/^events/ { inside = 1 } inside && NF == 7 && $4 == "forward" { sum += $2 - last } inside && NF == 7 { last = $2 }
        END { print sum + 8 - last }' out.txt)" 5e-3 "the time in a mode"
expect_near "$(awk '/^modes/ { inside = 1 } inside && NF == 4 { sum += $4 } END { print sum }' out.txt)" \
    "$(work steps)" 1e-12 "steps of all modes"

# ---- events show what changes
cat > switch.lua << 'END'
local x = coordinate("x", {speed = 1})
mass(x, 1)
local left = mode("left", {initial = true, group = "side"})
local right = mode("right", {group = "side"})
local cold = mode("cold", {initial = true, group = "heat"})
local warm = mode("warm", {group = "heat"})
event("cross", {when = x - 1, direction = "rising", from = left, to = right})
event("look", {when = x - 2, direction = "rising"})
event("heat", {when = x - 3, direction = "rising", from = cold, to = warm})
horizon(0, 4)
END
run "$saltus" run switch.lua
expect_equal "$(sed -n '/^events/,$p' out.txt | awk '/cross|look|heat/ { $1 = $2 = ""; print }' | tr -s ' ' | paste -sd,)" \
    " cross left right 1, look 1, heat cold warm 1" "modes only where they change"
sed -i '/mode(/d; s/, from = .*}/}/' switch.lua
run "$saltus" run switch.lua
expect_without " from " "no columns without modes"

# ---- show cuts long expressions
{ echo 'local x = coordinate("x", {start = 1})'; echo 'mass(x, 1)'; echo 'local s = x'
  echo 'for i = 1, 20 do s = s + sin(i * x) end'; echo 'event("far", {when = s + 100})'; echo 'horizon(0, 1)'; } > wide.lua
run "$saltus" show wide.lua
expect_out " ...  any" "a long guard is cut"
claim
awk 'length > 80 { exit 1 }' out.txt || fail "show: lines of at most 80 columns" "$out"
run "$saltus" show wide.lua --verbose
expect_out "sin(20 * x)" "--verbose shows all of it"

# ---- progress
long_model_for 4 1000 "$saltus" gradient long.lua --set finals=150 --method discrete # long enough for a bar
terminal 100 gradient long.lua --set finals=150 --method discrete --quiet
expect_equal "$out" "" "--quiet shows no progress"
run "$saltus" gradient long.lua --set finals=150 --method discrete
expect_no_err "into a file there is no progress"
terminal 100 gradient long.lua --set finals=150 --method discrete --json
expect_out "saltus: gradient by discrete [=" "there is a bar"
expect_out " s left, " "what is left"
expect_out " per second" "the rate"
# Every line is taken back before anything else is printed, and none is folded.
terminal 60 gradient long.lua --set finals=150 --method discrete
tr '\r' '\n' < out.txt > lines.txt
expect_equal "$(awk '/^saltus: gradient/ && length > 59' lines.txt)" "" "no line is folded"
expect_equal "$(grep -A 1 '^saltus: gradient' lines.txt | tail -n 1 | tr -d ' ')" "" "the last line is taken back"
awk '/^saltus: gradient/ { sub(/.*\]/, ""); sub(/%.*/, ""); if ($1 + 0 < last) exit 1; last = $1 + 0 }' lines.txt ||
    fail "it goes forward only" "$(cat lines.txt)"
claim

# Work of several stages, or of many pieces, has one bar, which only grows, with the time left; then it is taken back.
one_bar() { # label, what
    tr '\r' '\n' < out.txt | tr -d '\n' | sed 's/saltus: /\n&/g' | grep '^saltus: ' > lines.txt
    claim
    [[ $(wc -l < lines.txt) -ge 2 ]] || fail "$2: there is a bar" "$out"
    expect_equal "$(grep -vE "^saltus: $1 \[=* *\] +[0-9]+ %, ([0-9.]+ (s|min|h) ?)+left, ." lines.txt)" "" "$2: one bar"
    claim
    awk '{ sub(/.*\]/, ""); sub(/%.*/, ""); if ($1 + 0 < last) exit 1; last = $1 + 0 }' lines.txt ||
        fail "$2: the share never falls" "$(cat lines.txt)"
}
bar_of() { # words: what is shown on a terminal while the results go into results.txt
    command_line="$*"
    printf '%q ' "$saltus" "$@" > words
    SHELL=/bin/bash TERM=xterm script -qec "stty cols 100; $(cat words) < lines.jsonl > results.txt" /dev/null > out.txt < /dev/null
    out=$(tr -d '\r' < out.txt)
}
for i in $(seq 1000); do echo '{"g": 9.81}'; done > lines.jsonl
chain=$source_dir/models/chain.lua
bar_of check "$chain" --set links=34 --backend interp -j 1
one_bar checking "check"
expect_equal "$(grep -cE ', (finite differences|gradients)' lines.txt | sed 's/^[1-9].*/some/')" some "the stage is named"
bar_of gradient "$chain" --set links=10 --backend interp --jsonl --params -
one_bar "answering lines" "--jsonl"
expect_equal "$(wc -l < results.txt)" 1000 "all lines are answered"
bar_of sweep "$chain" --set links=10 --over 'g~uniform(9,10)' --sample lhs:600 --gradients --backend interp -j 1
one_bar sweeping "sweep"

finish
