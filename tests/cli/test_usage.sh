#!/usr/bin/env bash
# Exit statuses, messages, help.
. "$(dirname "$0")/common.sh" "$@"

# ---- help and version
run "$saltus"
expect_status 1 "no command"
expect_err "Usage: saltus COMMAND" "no command shows the help on stderr"
expect_no_out "no command"

run "$saltus" --help
expect_status 0 "--help"
expect_out "Usage: saltus COMMAND" "--help"
expect_out "130  interrupted" "--help lists the exit statuses"
cp out.txt help.txt
run "$saltus" help
expect_same out.txt help.txt "help and --help are the same"

run "$saltus" run ball.lua --set e=1e400
expect_status 1 "a number that is too large"
expect_err "--set 'e=1e400': the number is too large" "a number that is too large"
printf '%s\n' 'local x = coordinate("x")' 'mass(x, 1)' 'event("far", {when = x + 5})' 'event("off", {when = x - 5})' 'horizon(0, 1)' > still.lua
run "$saltus" run still.lua
expect_out "no events: 'far', 'off' did not happen" "events that did not happen"

printf '%s\n' 'local mu = param("mu", 0.2)' 'local x = coordinate("x", {speed = 1})' 'mass(x, 1)' 'friction {x, limit = mu, name = "rail"}' \
    'horizon(0, 1)' > rail.lua
run "$saltus" run rail.lua
expect_no_err "friction that brakes"
run "$saltus" run rail.lua --set mu=-0.2
expect_err "friction 'rail' (line 4) has the limit -0.2 at t = 0: it drives what it should brake" "friction below zero"

run "$saltus" --version
expect_equal "$(head -n 1 out.txt)" "saltus 0.1.0" "--version"
expect_out "libraries  Lua 5.4" "--version: libraries"
expect_out "cache      " "--version: where compiled code is"
expect_out "commands   report (pages " "--version: whether pages simulate"
expect_out "processes  one" "--version: MPI"
if "$saltus" sweep ball.lua --over e=0.8 --quiet 2> /dev/null; then sweeps=", sweep"; else sweeps="no sweep"; fi
expect_out "$sweeps" "--version: whether there is sweep"
# An engine is named as it is found.
for engine in nlopt ipopt; do
    run "$saltus" optimise ball.lua --minimise height --over e --engine $engine --quiet
    if [[ $err == *"the engine"* || $err == *"built without"* ]]; then there="no $engine"; else there=$engine; fi
    run "$saltus" --version
    expect_equal "$(grep -cE "^engines    sqp, (.*, )?$there(,|$)" out.txt)" 1 "--version: $engine"
done

# The tables that other programs read have all commands.
run "$saltus" help --tables
expect_status 0 "help --tables"
commands=$(sed -n 's/^      "name": "\(.*\)",$/\1/p' out.txt)
expect_equal "$(wc -w <<< "$commands")" "$(grep -cE '^  [a-z]+ ' help.txt)" "all commands are in the tables"
for command in $commands; do
    run "$saltus" "$command" --help
    expect_status 0 "$command --help"
    expect_out "Usage: saltus $command" "$command --help"
    expect_out "  -h, --help " "$command --help lists the options"
    expect_out "Example" "$command --help has an example"
    cp out.txt help.txt
    run "$saltus" help "$command"
    head -n "$(wc -l < help.txt)" out.txt > head.txt # a word of this name may follow
    expect_same head.txt help.txt "help $command and $command --help are the same"
    run "$saltus" "$command" -h
    expect_status 0 "$command -h"
    claim
    (($(wc -l < out.txt) < $(wc -l < help.txt))) || fail "$command -h is shorter than --help"
    claim
    awk 'length > 80 { exit 1 }' help.txt out.txt || fail "help of $command fits into 80 columns"
done
# Each command says what an option means for it; the solver's are shown where something is simulated.
run "$saltus" models --help
expect_out "-o, --output FILE         the name of the copy" "models --help"
run "$saltus" run --help
expect_out "--rtol X              relative error tolerance [1e-09]" "defaults are in brackets"
run "$saltus" show --help
claim
[[ $out != *--rtol* ]] || fail "show does not list the solver's options"
run "$saltus" show ball.lua --rtol 1e-8 --json
expect_status 0 "but takes them, for what is in force"
expect_out '"rtol": 1' "but takes them, for what is in force"

# ---- the words of the language
run "$saltus" help language
expect_out "  event           Something that happens at an instant." "help language"
claim
awk 'length > 80 { exit 1 }' out.txt || fail "help language fits into 80 columns"
run "$saltus" help event
expect_out "event(name, options)" "help event"
expect_out "  restitution     Newton's law on the guard (value)" "help event: options"
expect_out "  charge          added to costs (table<string, value>)" "help event: types"
run "$saltus" help cost
expect_out "  each            what is sampled at the k-th time (fun(k: integer):" "help cost: a function"
run "$saltus" help bar
expect_out "  mode            active in these modes only (modes)" "help bar: options that others have too"
run "$saltus" help optimise
expect_out "The word of the language:" "a command and a word"
refused "no word 'evnt' (did you mean event?)" help evnt
for word in $(sed -n 's/^function \([a-z_.0-9]*\)(.*/\1/p' "$source_dir/cli/editor/saltus.d.lua" | sort -u); do
    run "$saltus" help "$word"
    expect_status 0 "help $word"
done

# ---- --digits
run "$saltus" run ball.lua -d 4
expect_out "  area [m s]  0.8119" "four digits"
refused "--digits '18': must be from 1 to 17" run ball.lua --digits 18

# ---- letters, bundles, names cut short
run "$saltus" run ball.lua --json --set e=0.7 --tol 1e-8
cp out.txt long.json
run "$saltus" run -se=0.7 -t 1e-8 ball.lua --json
claim
cmp -s <(without_stats long.json) <(without_stats out.txt) || fail "letters mean what names do"
run "$saltus" run ball.lua -qvo motion.csv
expect_status 0 "letters together"
expect_no_out "letters together"
claim
[[ -s motion.csv ]] || fail "the last of them has a value"
run "$saltus" run ball.lua --no-c --verb --max-ev 7
expect_status 0 "names cut short"
run "$saltus" -V
expect_equal "$(head -n 1 out.txt)" "saltus 0.1.0" "-V"
refused "--js may be several options: --jsonl, --json" run ball.lua --js
refused "--m may be several options: --max-step, --max-steps, --max-events" run ball.lua --m 3
refused "names have two dashes: write --json" run ball.lua -json
refused "-s needs a value: -s NAME=VALUE" run ball.lua -qs
refused "-o needs a value: -o FOLDER" compile ball.lua -o
refused "--jumps is not an option of 'check' (but of: run)" --jumps check ball.lua
refused "did you mean --tol?" run ball.lua --tolerance 1e-3
refused "did you mean five_bar?" models five
run "$saltus" run ball.lua --jsn --json
expect_out '"message": "there is no option --jsn (did you mean --json?)"' "a wrong option before --json"

# ---- wrong usage: message, nothing on stdout, exit status 1
refused "did you mean run" rnu ball.lua
refused "saltus run ball.lua" ball.lua
refused "a model is missing" run
refused "unexpected argument 'ball.lua'" show ball.lua ball.lua
refused "did you mean --json" run ball.lua --jsn
refused "did you mean --max-events" run ball.lua --max-evnets 3
refused "--json takes no value" run ball.lua --json=yes
refused "--set needs a value" run ball.lua --set
refused "-o needs a value" run ball.lua -o
refused "there is no option -x: 'saltus run -h' lists them" run ball.lua -x
refused "--method is not an option of 'run'" run ball.lua -m fd
refused "--max-steps is a whole number" run ball.lua --max-steps 1.5
refused "not an option of 'check'" check ball.lua --jumps
refused "not an option of 'run'" run ball.lua --method fd
refused "has no '='" run ball.lua --set e
refused "has no name" run ball.lua --set =3
refused "has no value" run ball.lua --set e=
refused "once for each" run ball.lua --set h=1,e=2
refused "'e'" run ball.lua --set ee=1
refused "--tol" run ball.lua --tol zero
refused "--tol" run ball.lua --tol 0
refused "--tol is a number from 1e-14 to 0.5, not '1'" run ball.lua --tol 1
refused "--max-step is a number" run ball.lua --max-step -1
refused "rtol" run ball.lua --rtol 1e-3x
refused "not a size" run ball.lua --record-memory 10Q
refused "euler" run ball.lua --integrator euler
refused "--until" run ball.lua --until tomorrow
refused "must be positive" run ball.lua --every 0
refused "1 or more" run ball.lua --repeat 0
refused "--seed" run ball.lua --seed -1
refused "index1 or penalty" run ball.lua --formulation foo
refused "auto or interp or native" run ball.lua --backend foo
refused "did you mean adjoint" gradient ball.lua --method adjiont
refused "there is no method ''" gradient ball.lua --method adjoint,
refused "fd has no sensitivities" gradient ball.lua --method fd -o x.csv
refused "did you mean 'area'" run ball.lua --cost aera
refused "no parameter has such a name" gradient ball.lua --wrt 'q*'
refused "empty name" gradient ball.lua --wrt 'h,,e'
refused "must end in .csv or .json" run ball.lua -o x.txt
refused "did you mean 'ball.lua'" run ball
refused "did you mean 'ball.lua'" run bal.lua
refused "No such file" run nowhere/ball.lua
refused "directory" run "$folder"
refused "No such file" run ball.lua --params nowhere.json
refused "No such file" run ball.lua -o nowhere/x.csv
refused "pass" dump ball.lua --after nowhere

# ---- values that do not fit
run "$saltus" run ball.lua --set e=soft
expect_err "parameter 'e' is a number" "a text for a parameter"
run "$saltus" run ball.lua --set e=7
expect_err "outside of its bounds [0, 1]" "a value beyond its bounds"
expect_no_out "a value beyond its bounds"

cat > flags.lua << 'LUA'
model "flags"
local e, drag = param("e", 0.5, {upper = 1}), setting("drag", true)
local x = coordinate("x", {start = e})
mass(x, 1)
horizon(0, 1)
LUA
params() { # JSON, text expected
    echo "$1" > values.json
    run "$saltus" run flags.lua --params values.json
    expect_err "$2" "--params with $1"
}
params '{"e": true}' "values.json: error: parameter 'e' is a number, not true"
params '{"e": "true"}' "parameter 'e' is a number, not the text 'true'"
params '{"e": 7}' "values.json: error: parameter 'e' = 7 is outside"
params '{"ee": 7}' "values.json: error: the model has no parameter or setting 'ee'"
params '{"drag": 7}' "is true or false, but the number 7 was given for it (in values.json)"
params '{"drag": []}' "values.json: error: the value of 'drag'"
run "$saltus" run flags.lua --set drag=maybe
expect_err "but the text 'maybe' was given for it" "a wrong flag"
echo '{"e": 0.5, "drag": false}' > values.json
run "$saltus" run flags.lua --params values.json --set e=7
expect_err "saltus: error: parameter 'e' = 7" "the file is not named for what --set gave"
run "$saltus" run flags.lua --params values.json
expect_status 0 "flags in --params"

# ---- a file is offered only for one that is not there, and only if it is close
mkdir near
cp ball.lua near/two.lua
run "$saltus" run near/two
expect_err "did you mean 'near/two.lua'?" "the ending is forgotten"
for name in foo up.lua other.lua; do
    run "$saltus" run near/$name
    claim
    [[ $err == *"did you mean"* ]] && fail "nothing is close to $name" "$err"
done
ln -s nowhere near/broken.lua
run "$saltus" run near/broken.lua
claim
[[ $err == *"did you mean"* ]] && fail "never the same name" "$err"
if ((EUID != 0)); then
    chmod 000 near/two.lua
    run "$saltus" run near/two.lua
    expect_err "Permission denied" "a file that may not be read"
    claim
    [[ $err == *"did you mean"* ]] && fail "no offer for a file that is there" "$err"
fi
run "$saltus" run "$folder"
claim
[[ $err == *"did you mean"* ]] && fail "no offer for a folder" "$err"

# ---- blanks around names
run "$saltus" gradient ball.lua --wrt 'e, h ' --method 'direct, fd' --cost ' area' --json
expect_status 0 "blanks around names"

# ---- the mode that is active at the start
cat > modes.lua << 'LUA'
model "modes"
local x = coordinate("x", {speed = 1})
mass(x, 1)
local a, b = mode "a", mode "b"
local c, d = mode("c", {group = "g"}), mode("d", {group = "g"})
event("there", {from = {a, c}, to = {b, d}, when = x - 1})
horizon(0, 2)
LUA
run "$saltus" show modes.lua
claim
grep -qE '^  a +initial +4$' out.txt || fail "the initial mode" "$out"
claim
grep -qE '^  c +g +initial +5$' out.txt || fail "the initial mode of a group" "$out"
expect_equal "$(grep -c initial out.txt)" 2 "one initial mode in each group"
run "$saltus" show modes.lua --json
flatten out.txt > flat
expect_equal "$(value_at flat description.modes.0.initial)" true "show --json: the initial mode"
expect_equal "$(value_at flat description.modes.1.initial)" false "show --json: another mode"

# ---- a wrong model: exit status 2, file and line
cat > wrong.lua << 'LUA'
model "wrong"
local y = coordinate("y")
if y > 0 then mass(y, 1) end
LUA
run "$saltus" run wrong.lua
expect_status 2 "a wrong model"
expect_err "wrong.lua:3: error: " "a wrong model"
expect_no_out "a wrong model"
expect_equal "$(sed -n 2p err.txt)" "    3 | if y > 0 then mass(y, 1) end" "the line that is meant"
printf 'model "w"\nlocal\ty = coordinate("ß", {strat = 1})\n' > wrong.lua
run "$saltus" run wrong.lua
expect_equal "$(sed -n 2p err.txt)" '    2 | local y = coordinate("ß", {strat = 1})' "tabs are blanks"
expect_equal "$(sed -n 3p err.txt)" '      |                            ^~~~~' "the word that is meant"
run "$saltus" run - < wrong.lua
expect_equal "$(wc -l < err.txt)" 1 "standard input cannot be read again"
printf 'model "x' > wrong.lua
run "$saltus" run wrong.lua
expect_status 2 "a script that is not Lua"
expect_err "wrong.lua:1: error: " "a script that is not Lua"
: > empty.lua
run "$saltus" run empty.lua
expect_status 2 "an empty script"

# ---- ways of writing
run "$saltus" run ball.lua --set e=0.7 --json
cp out.txt a.json
run "$saltus" --json run --set=e=0.7 -- ball.lua
expect_status 0 "options before, and --"
claim
cmp -s <(without_stats a.json) <(without_stats out.txt) ||
    fail "--name value and --name=value are the same, before or after the model"
run "$saltus" show - --json
expect_status 2 "an empty model from standard input"
"$saltus" show - < ball.lua > out.txt 2> err.txt || fail "a model from standard input" "$(cat err.txt)"

# ---- scripts print to stderr
printf 'print("hello", 1)\n' | cat - ball.lua > talking.lua
run "$saltus" run talking.lua
expect_equal "$(head -n 1 err.txt)" "hello	1" "print goes to stderr"
claim
grep -q hello out.txt && fail "print does not go to stdout"

# ---- --quiet, colours
run "$saltus" run ball.lua --quiet
expect_no_out "--quiet"
expect_no_err "--quiet"
run "$saltus" run ball.lua
claim
grep -q $'\033' out.txt err.txt && fail "no colours in a file"
claim
grep -qE ' +$' out.txt && fail "no spaces at the end of lines" "$(grep -nE ' +$' out.txt)"

# ---- writing fails
run bash -c '"$0" run ball.lua > /dev/full' "$saltus"
expect_status 1 "a full disk"
expect_err "cannot write to standard output: No space left" "a full disk"
run "$saltus" run ball.lua -o /dev/full
expect_status 1 "a full disk with -o"
expect_err "cannot write '/dev/full'" "a full disk with -o"
# The reader is gone before the program writes.
run bash -c 'set -o pipefail; { sleep 0.5; "$0" run ball.lua; echo "status $?" >&2; } | true' "$saltus"
expect_equal "$err" "status 1" "a closed pipe ends the program without a word"
run bash -c '{ sleep 0.5; "$0" run ball.lua -o /dev/stdout --quiet; echo "status $?" >&2; } | true' "$saltus"
expect_equal "$err" "status 1" "a closed pipe with -o"
run bash -c '"$0" run ball.lua -o motion.csv | true' "$saltus"
claim
[[ $(wc -l < motion.csv) -gt 500 ]] || fail "a closed pipe does not keep -o from being written"

# ---- options that change nothing
for name in index1 penalty; do
    run "$saltus" run ball.lua --formulation $name
    expect_status 0 "--formulation without constraints"
    expect_err "the model has no constraints: --formulation changes nothing" "--formulation $name"
done
run env CC=/bin/false "$saltus" run ball.lua --backend native
expect_status 0 "--backend native without a compiler"
expect_err "interpreting instead of native code: the C compiler '/bin/false' failed" "--backend native"
run "$saltus" run ball.lua
expect_no_err "nothing is said of options that were not given"

# ---- dump
run "$saltus" dump ball.lua --after derive
expect_out "1 part, 1 operation" "dump: one is singular"
run "$saltus" dump ball.lua --after program
expect_out "part 0, 1 instance" "dump: the parts"
expect_out "accelerations" "dump: which kernel it is"
expect_out "-> M[y][y]" "dump: entries of the mass matrix"
expect_out "-> force on y" "dump: forces"
expect_out " = -s" "dump: signs are written as people do"

# ---- the numerics cannot go on: exit status 3, what was computed is kept
sed 's/horizon(0, 2)/horizon(0, 10)/' ball.lua > zeno.lua
run "$saltus" run zeno.lua
expect_status 3 "a ball that comes to rest"
expect_err "error: " "a ball that comes to rest"
expect_out "events" "a ball that comes to rest: the events so far"
run "$saltus" run ball.lua --max-events 2
expect_status 3 "--max-events"
run "$saltus" run ball.lua --max-steps 2
expect_status 3 "--max-steps"
sed 's/start = h/start = 0, speed = -1/' ball.lua > sinking.lua
run "$saltus" run sinking.lua
expect_status 3 "a ball that sinks at once"
claim
grep -qE '^  kinetic +0\.5 +0\.5 +0$' out.txt || fail "the energy at the start is known" "$out"
run "$saltus" run zeno.lua --set e=0.9 --until 8
claim
(($(grep -c 'warning: ' err.txt) <= 9)) || fail "a flood of warnings is cut" "$err"

finish
