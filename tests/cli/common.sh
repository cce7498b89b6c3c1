# shellcheck shell=bash
# What the tests of the program share. Each test is called with the program and the source folder;
# it says what failed and ends with status 1 if anything did.
#
#     . "$(dirname "$0")/common.sh" "$@"
#     run "$saltus" run ball.lua
#     expect_status 0 "a model that runs"
#     finish

# shellcheck disable=SC2034 # used by the tests
saltus=$(realpath "${1:?usage: $0 PROGRAM SOURCE_DIR}")
# shellcheck disable=SC2034
source_dir=$(realpath "${2:?usage: $0 PROGRAM SOURCE_DIR}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export LC_ALL=C.UTF-8
unset NO_COLOR
failures=0
claims=0

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$1"
    [[ -z ${2:-} ]] || printf '%s\n' "$2" | sed 's/^/    /' | head -n 20
}

claim() { claims=$((claims + 1)); }

# Writes long.lua, a motion that goes on and on: horizon
long_model() {
    cat > long.lua << LUA
model "long"
local w = param("w", 3)
local x = coordinate("x", {start = 1})
mass(x, 1)
potential(0.5 * w^2 * x^2)
event("middle", {when = x, direction = "rising"})
cost("square", {integral = x^2})
for i = 1, setting("finals", 0) do cost("x" .. i, {final = i * x}) end
solver {max_steps = 1000000000, max_events = 100000000}
horizon(0, $1)
LUA
}

# Writes long.lua with a horizon for which the command takes about some seconds on this machine.
long_model_for() { # seconds, horizon to try, command...
    local seconds=$1 horizon=$2 began
    shift 2
    long_model "$horizon"
    began=$(date +%s%N)
    run "$@"
    long_model $((horizon * seconds * 1000000000 / ($(date +%s%N) - began)))
}

# Runs a command; its output is in out and err (files and variables), its exit status in status.
run() {
    command_line="$*"
    "$@" > out.txt 2> err.txt < /dev/null
    status=$?
    out=$(tr -d '\0' < out.txt)
    err=$(tr -d '\0' < err.txt)
}

expect_status() {
    claim
    [[ $status == "$1" ]] || fail "$2: exit status $status, expected $1" "$command_line
$err"
}

# The text (fixed, not a pattern) is in what was printed.
expect_out() {
    claim
    [[ $out == *"$1"* ]] || fail "$2: no '$1' in the output of $command_line" "$out"
}
expect_err() {
    claim
    [[ $err == *"$1"* ]] || fail "$2: no '$1' in the messages of $command_line" "$err"
}
expect_no_err() {
    claim
    [[ -z $err ]] || fail "$1: messages of $command_line" "$err"
}
expect_no_out() {
    claim
    [[ ! -s out.txt ]] || fail "$1: output of $command_line" "$out"
}
expect_equal() {
    claim
    [[ $1 == "$2" ]] || fail "$3: '$1', expected '$2'"
}
# Two files are the same.
expect_same() {
    claim
    cmp -s "$1" "$2" || fail "$3" "$(diff "$1" "$2" | head -n 10)"
}
# |value - expected| <= tolerance * max(1, |expected|)
expect_near() {
    claim
    awk -v v="$1" -v e="$2" -v tol="$3" 'BEGIN {
        if (v !~ /^[-+]?[0-9.]/) exit 1
        d = v - e; if (d < 0) d = -d
        s = e < 0 ? -e : e; if (s < 1) s = 1
        exit !(d <= tol * s) }' || fail "$4: $1, expected $2 within $3"
}

# One line per value of the JSON that --json prints: "path value", e.g. costs.area.value 0.81.
flatten() {
    awk '
    function path(i, p) { p = ""; for (i = 1; i <= depth; i++) p = p (p == "" ? "" : ".") key[i]; return p }
    {
        line = $0; sub(/^ +/, "", line); sub(/,$/, "", line)
        if (line == "}" || line == "]") { depth--; next }
        name = ""
        if (match(line, /^"([^"\\]|\\.)*": /)) {
            name = substr(line, 2, RLENGTH - 4); line = substr(line, RLENGTH + 1)
        } else if (depth > 0) name = count[depth]++
        if (line == "{" || line == "[") {
            if (NR > 1) { depth++; key[depth] = name; count[depth] = 0 }
        } else { depth++; key[depth] = name; print path() " " line; depth-- }
    }' "$@"
}
# The value at a path of the flattened file, without quotes.
value_at() {
    awk -v path="$2" '{ at = index($0, " ") } substr($0, 1, at - 1) == path {
        v = substr($0, at + 1); gsub(/^"|"$/, "", v); print v; exit }' "$1"
}
# The keys of the outermost object, in order, on one line.
top_keys() { sed -n 's/^  "\([^"]*\)": .*/\1/p' "$1" | tr '\n' ' ' | sed 's/ $//'; }
# The file without its statistics, which may differ between equal runs.
without_stats() { sed '/^  "stats": {/,/^  }/d' "$1"; }

# Wrong usage has a message, nothing on stdout, and status 1: text expected, words
refused() {
    local text=$1
    shift
    run "$saltus" "$@"
    expect_status 1 "$*"
    expect_err "error: " "$*"
    expect_err "$text" "$*"
    expect_no_out "$*"
}

finish() {
    if ((failures)); then
        printf '%d of %d claims failed\n' "$failures" "$claims"
        exit 1
    fi
    printf '%d claims hold\n' "$claims"
    exit 0
}

# ---- models ------------------------------------------------------------------------------------

# A ball dropped from h: it hits the floor at sqrt(2 h / g), then loses speed by e. Its names have
# what names may have: units, letters beyond ASCII, commas and quotes.
cat > ball.lua << 'LUA'
model "ball"
local h = param("h", 1, {unit = "m"})
local e = param("e", 0.8, {lower = 0, upper = 1, doc = "restitution"})
local g = param("g", 9.81, {fixed = true, unit = "m/s²"})
local n = setting("n", 3)
local variant = setting("variant", "soft")
local y = coordinate("y", {start = h, unit = "m", doc = "height"})
mass(y, 1)
potential(g * y)
local c = memory("höhe", 7)
event("floor", {when = y, direction = "falling", restitution = e})
cost("area", {integral = y, unit = "m s"})
cost("height", {final = y, unit = "m"})
output('a,"b', 2 * y)
horizon(0, 2)
LUA
