#!/usr/bin/env bash
# Memory that runs out anywhere in the program: exit status 3 and a message, or the same output as
# ever; never half an answer. Some of all requests fail, spread evenly (POINTS per command), every
# second time all later ones with them.
preloaded=$PWD/libfailing_malloc.so
. "$(dirname "$0")/../cli/common.sh" "$@"

[[ -e $preloaded ]] || { echo "skipped: no library that makes malloc fail" && exit 77; }
points=${POINTS:-24}

# Something of everything: modes, a memory, constraints, a kink, events, settings, drawings.
cat > model.lua << 'LUA'
model "everything"
local k, e = param("k", 4), param("e", 0.8, {unit = "1", lower = 0})
local n, s = memory("n", 0), setting("s", "soft")
local x = coordinate("x", {start = -1, speed = k / 8, unit = "m"})
local y = coordinate("y", {start = 0.4})
local free, held = mode "free", mode "held"
kinetic(0.5 * dot(x)^2 + 0.5 * dot(y)^2)
local P = point("P", {guess = {0.6, -0.8}})
mass(P, e) gravity(0, -9.81) rod {ground_point(0, 0), P, length = 1, name = "rod"}
constraint("drive", P.x - 0.6 + 0.1 * sin(t))
potential(0.5 * k * x^2 + 9.81 * y)
potential(2 * (x - 0.3)^2, {mode = held})
event("engage", {from = free, to = held, when = x - 0.3, direction = "rising"})
event("floor", {when = y, direction = "falling", restitution = e, set = {[n] = n + 1}})
cost("loss", {integral = ddot(x)^2, final = x + n})
cost("far", {final = abs(x - 0.1)})
output("sum", x + y)
print("loading", s)
horizon(0, 1)
LUA
sed 's/"everything"/"second"/' model.lua > second.lua
echo '{"k": 4.1}' > values.json
printf '{"k": 4.1}\n{"e": 0.7}\n' > lines.txt

# What may differ between equal runs is taken out.
lasting() {
    find "$@" -type f -print0 | sort -z |
        xargs -0r sed -E 's/"stats": ?\{.*\}\}?//; /^  "stats": \{/,/^  \}/d; /seconds/d'
}
# The command, with all that it writes in answer.txt.
answer() {
    rm -rf written
    mkdir written
    "$saltus" "${words[@]}" < "$input" > out.txt 2> err.txt
    status=$?
    lasting out.txt written > answer.txt
}
fail_at() { # request
    local good=()
    (($1 % 2)) || good=(FAIL_FOR_GOOD=1)
    env "${good[@]}" LD_PRELOAD="$preloaded" FAIL_AT="$1" "$saltus" "${words[@]}" \
        < "$input" > out.txt 2> err.txt
}
# One request fails: request
try() {
    rm -rf written
    mkdir written
    fail_at "$1"
    status=$? err=$(cat err.txt) out=""
    command_line="FAIL_AT=$1 saltus ${words[*]}"
    claim
    case $status in
    0)
        lasting out.txt written > answer.txt
        cmp -s answer.txt whole.txt || fail "half an answer: $command_line" "$(diff answer.txt whole.txt | head -n 5)"
        ;;
    3)
        [[ $err == *memory* ]] || fail "no message: $command_line" "$err"
        lasting written > files.txt # none, or all: it failed after them
        [[ ! -s files.txt ]] || cmp -s files.txt whole_files.txt ||
            fail "half a file: $command_line" "$(find written -type f)"
        ;;
    *) fail "exit status $status: $command_line" "$err" ;;
    esac
}
sweep() { # words
    words=("$@")
    answer
    [[ $status == 0 ]] || fail "without a failure: saltus ${words[*]}" "$(cat err.txt)"
    cp answer.txt whole.txt
    lasting written > whole_files.txt
    rm -rf written
    mkdir written
    env LD_PRELOAD="$preloaded" COUNT_IN=count.txt "$saltus" "${words[@]}" < "$input" > out.txt 2> err.txt
    local -i requests n stride
    requests=$(cat count.txt)
    ((requests > 0)) || fail "requests are counted"
    stride=$((requests / points | 1)) # odd, so that both kinds of failure come up
    for ((n = 1; n <= requests; n += stride)); do try $n; done
}

input=/dev/null
sweep run model.lua --jumps --verbose --quiet
sweep run model.lua --jumps
sweep run model.lua --json --jumps
sweep run model.lua -o written/motion.csv
sweep run model.lua -o written/motion.json --every 0.2
sweep run model.lua second.lua --threads 1 --json
sweep gradient model.lua --params values.json --json
sweep gradient model.lua --method direct,discrete --event-times
sweep gradient model.lua --method adjoint -o written/adjoint.csv
input=lines.txt
sweep gradient model.lua --params - --jsonl
input=/dev/null
sweep check model.lua --threads 1
sweep check model.lua --threads 1 --json
sweep show model.lua
sweep show model.lua --json
sweep dump model.lua
sweep dump model.lua --json
sweep compile model.lua -o written/folder
sweep new written/swing
sweep models
sweep models --json
sweep models chain -o written/chain.lua
sweep help run
"$saltus" report ball.lua -o probe.html --quiet 2> err.txt
if ! grep -q "built without the report" err.txt; then sweep report model.lua --threads 1 --every 0.2 -o written/page.html; fi

finish
