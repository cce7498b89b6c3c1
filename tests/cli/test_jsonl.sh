#!/usr/bin/env bash
# --jsonl: one set of parameters per line in, one result per line out.
. "$(dirname "$0")/common.sh" "$@"

feed() { # input, words
    command_line="${*:2}"
    # shellcheck disable=SC2059 # it has \n
    printf "$1" | "$saltus" "${@:2}" > out.txt 2> err.txt
    status=$?
    out=$(cat out.txt) err=$(cat err.txt)
}
nth() { sed -n "$1p" out.txt; }
# The member of a compact object that begins with "name": and ends before ,"next":
between() { sed "s/.*\"$2\":\(.*\),\"$3\":.*/\1/" <<< "$1"; }

# ---- each line gives what a call with --set gives, digit for digit, whatever came before it
feed '{"e": 0.7}\n{"h": 1.5, "e": 0.6}\n{}\n{"e": 0.7}\n' \
    gradient ball.lua --method discrete --jsonl --params -
expect_status 0 "four lines"
expect_no_err "four lines"
expect_equal "$(wc -l < out.txt)" 4 "one result per line"
same() { # line, words of --set
    run "$saltus" gradient ball.lua --method discrete --json "${@:2}"
    expect_equal "$(between "$1" costs end)" "$(between "$(tr -d ' \n' < out.txt)" costs events)" \
        "a line and ${*:2}"
    expect_equal "$(between "$1" parameters costs)" \
        "$(between "$(tr -d ' \n' < out.txt)" parameters settings)" "parameters of ${*:2}"
}
first=$(nth 1) second=$(nth 2) third=$(nth 3) fourth=$(nth 4)
same "$first" --set e=0.7
same "$second" --set e=0.6 --set h=1.5
same "$third"
expect_equal "${fourth/\"line\":4/\"line\":1}" "$first" "the same values again"
claim
[[ $first != "$third" ]] || fail "other values, another result"

# ---- --set and a file are where lines begin from; a line wins
echo '{"h": 2}' > base.json
feed '{}\n{"e": 0.5}\n' run ball.lua --jsonl --params - --params base.json --set e=0.9 --set n=4
expect_equal "$(between "$(nth 1)" parameters costs)" '{"h":2.0,"e":0.9,"g":9.81}' \
    "--set and --params FILE"
expect_equal "$(between "$(nth 2)" parameters costs)" '{"h":2.0,"e":0.5,"g":9.81}' "a line wins"

# ---- run, and everything there is with --verbose
feed '{"e": 0.7}\n' run ball.lua --jsonl --params -
expect_status 0 "run --jsonl"
claim
grep -q gradient out.txt && fail "run has no gradient" "$out"
feed '{"e": 0.7}\n' gradient ball.lua --jsonl --params - --verbose
expect_out '"events":[{"name":"floor"' "--verbose: events"
expect_out '"end_gradient":{"h":' "--verbose: how the end moves"
expect_out '"final":{"time":2.0' "--verbose: the final state"
claim
grep -q time_gradient out.txt && fail "--verbose: no derivatives of event times" "$out"
feed '{"e": 0.7}\n' gradient ball.lua --jsonl --params - --event-times
expect_out '"time_gradient":{"h":' "--event-times: those of events"

# ---- an answer is valid input
feed '{"e": 0.7}\n' gradient ball.lua --jsonl --params -
cp out.txt answer.txt
"$saltus" gradient ball.lua --jsonl --params - < answer.txt > again.txt
expect_same answer.txt again.txt "an answer as input"
"$saltus" run ball.lua --set e=0.7 --json | tr -d '\n' > earlier.json
"$saltus" gradient ball.lua --jsonl --params - < earlier.json > again.txt
expect_same answer.txt again.txt "an earlier output as input"

# ---- lines that fail are answered, and the others too
feed '{"e": 0.7}\n\n  \t\r\n{"e": 0.7\n{"e": NaN}\n[1]\n{"ee": 1}\n{"qqqq": 1}\n{"e": "soft"}\n{"e": true}\n{"e": 7}\n{"n": 4}\n{"n": 3, "variant": "soft"}\n{"e": 1e999}\n{"e": 0.7}' \
    gradient ball.lua --jsonl --params -
expect_status 1 "lines that fail"
expect_err "10 of 13 lines failed, first line 4: not JSON" "lines that fail"
expect_equal "$(wc -l < out.txt)" 13 "blank lines are not answered"
expect_equal "$(sed 's/{"line":\([0-9]*\),.*/\1/' out.txt | tr '\n' ' ')" "1 4 5 6 7 8 9 10 11 12 13 14 15 " \
    "the numbers of the lines"
failed() { # line, text
    claim
    grep -qF "{\"line\":$1,\"error\":{\"status\":\"ERR_ARGUMENT\",\"message\":\"$2" out.txt ||
        fail "line $1" "$(grep "^{\"line\":$1," out.txt)"
    claim
    grep -qF "\"file\":null,\"line\":$1}}" out.txt || fail "error.line of line $1"
}
failed 4 "not JSON: "
failed 5 "not JSON: invalid token near 'NaN'"
failed 6 "an object with names and values is needed"
failed 7 "the model has no parameter 'ee'; did you mean 'e'?"
failed 8 "the model has no parameter 'qqqq' ('saltus show' lists them)"
failed 9 "parameter 'e' is a number, not the text 'soft'"
failed 10 "parameter 'e' is a number, not true"
failed 11 "parameter 'e' = 7 is outside of its bounds [0, 1]"
failed 12 "'n' is a setting: it cannot change between lines"
failed 14 "not JSON: "
expect_equal "$(between "$(nth 13)" costs end)" "$(between "$(nth 1)" costs end)" "the lines between"
claim
grep -q '^{"line":13,"method"' out.txt || fail "a setting that stays as it is"

# ---- the numerics: what was computed stands beside the error, and nothing of the line before
sed 's/horizon(0, 2)/horizon(0, 6)/' ball.lua > zeno.lua
feed '{"e": 0.99}\n{"e": 0.5}\n{"e": 0.99}\n' gradient zeno.lua --jsonl --params -
expect_status 3 "a motion that cannot go on"
expect_err "1 of 3 lines failed, first line 2: Zeno" "a motion that cannot go on"
claim
grep -q '^{"line":2,.*"costs":{"area":{"value":null},.*"end":"zeno",.*"error":{"status":"ERR_UNFINISHED"' out.txt ||
    fail "what was computed" "$(nth 2)"
line=$(nth 3)
expect_equal "${line/\"line\":3/\"line\":1}" "$(nth 1)" "the line after it"
cat > assembly.lua << 'LUA'
model "assembly"
local L = param("L", 1)
local x = coordinate("x", {guess = 0.5})
mass(x, 1) constraint("c", x^2 + 1 - L)
cost("x", {final = x}) horizon(0, 0.1)
LUA
feed '{"L": 2}\n{"L": 0.5}\n' gradient assembly.lua --jsonl --params -
expect_status 3 "a mechanism that cannot be assembled"
claim
[[ $(nth 2) == *'"error":{"status":"ERR_ASSEMBLY"'* && $(nth 2) != *costs* ]] ||
    fail "no costs of the line before" "$(nth 2)"

# ---- answers do not wait for the end of the input
coproc "$saltus" gradient ball.lua --jsonl --params - 2> err.txt
pid=$COPROC_PID
echo '{"e": 0.7}' >&"${COPROC[1]}"
read -r -t 20 answer <&"${COPROC[0]}" || fail "an answer before the input ends"
expect_equal "${answer:0:10}" '{"line":1,' "an answer before the input ends"
echo '{"e": 0.75}' >&"${COPROC[1]}"
read -r -t 20 answer <&"${COPROC[0]}"
expect_equal "${answer:0:10}" '{"line":2,' "a second answer"
exec {COPROC[1]}>&-
wait "$pid"
expect_equal $? 0 "the end of the input"
run timeout 20 bash -c 'yes "{}" | "$0" run ball.lua --jsonl --params - | head -n 2' "$saltus"
expect_equal "$(wc -l < out.txt)" 2 "a reader that has enough ends the program"
expect_equal "$status" 0 "a reader that has enough ends the program"

set -m
mkfifo input
"$saltus" gradient ball.lua --jsonl --params - < input > out.txt 2> err.txt &
pid=$!
exec 7> input
echo '{}' >&7
for _ in $(seq 100); do [[ -s out.txt ]] && break || sleep 0.1; done
kill -INT $pid
wait $pid
status=$? err=$(cat err.txt) command_line="an interrupted loop"
exec 7>&-
set +m
expect_status 130 "an interrupted loop"
expect_equal "$(wc -l < out.txt)" 1 "an interrupted loop: the answer so far"

# ---- many parameters
{
    echo 'model "many" local k, sum = {}, 0'
    echo 'for i = 1, 300 do k[i] = param("k" .. i, 1) sum = sum + k[i] * i end'
    echo 'local x = coordinate("x", {start = 1}) mass(x, 1) force(x, -0.001 * sum * x)'
    echo 'cost("x", {final = x}) horizon(0, 1)'
} > many.lua
for i in $(seq 1 200); do echo "{\"k$i\": 2}"; done > many.txt
"$saltus" gradient many.lua --jsonl --params - < many.txt > out.txt
expect_equal "$(grep -c '"method":"discrete"' out.txt)" 200 "many lines"
expect_equal "$(cut -d'"' -f4- out.txt | sort -u | wc -l)" 200 "all of them different"

# ---- mistakes
wrong() { # text, words
    run "$saltus" "${@:2}"
    expect_status 1 "${*:2}"
    expect_err "$1" "${*:2}"
    expect_equal "$(wc -l < out.txt)" 1 "the error is a line too: ${*:2}"
    expect_out '"error":{"status":' "the error is a line too: ${*:2}"
}
wrong "add --params -" gradient ball.lua --jsonl
wrong "add --params -" gradient ball.lua --jsonl --params base.json
wrong "cannot both be standard input" run - --jsonl --params -
wrong "leave one of them out" run ball.lua --jsonl --json --params -
wrong "leave -o out" run ball.lua --jsonl --params - -o x.csv
wrong "leave --repeat out" run ball.lua --jsonl --params - --repeat 3
wrong "leave --jumps out" run ball.lua --jsonl --params - --jumps
wrong "one method" gradient ball.lua --jsonl --params - --method fd,direct
wrong "can be read once" run ball.lua zeno.lua --jsonl --params -
wrong "not an option of 'check' (but of: run, gradient)" check ball.lua --jsonl --params -
wrong "No such file" run nowhere.lua --jsonl --params -
printf 'model "x"\nlocal y = coordinate(3)\n' > wrong.lua
run "$saltus" run wrong.lua --jsonl --params -
expect_status 2 "a wrong model"
expect_equal "$(wc -l < out.txt)" 1 "a wrong model is one line"
run "$saltus" gradient ball.lua --jsonl --params -
expect_status 0 "no lines at all"
expect_no_out "no lines at all"

# ---- a line without an end must not fill the memory
{ echo '{"h": 2}' && head -c 270000000 /dev/zero; } | "$saltus" run ball.lua --params - --jsonl > out.txt 2> err.txt
status=$? err=$(cat err.txt) command_line="a line of 270 MB"
expect_status 1 "a line of 270 MB"
expect_err "line 2 of standard input is larger than 256 MiB" "a line of 270 MB"
expect_equal "$(wc -l < out.txt)" 1 "lines before it are answered"

finish
