#!/usr/bin/env bash
# Ctrl-C: exit status 130, and the results so far.
. "$(dirname "$0")/common.sh" "$@"

cat > long.lua << 'LUA'
model "long"
local w = param("w", 3)
local x = coordinate("x", {start = 1})
mass(x, 1)
potential(0.5 * w^2 * x^2)
event("middle", {when = x, direction = "rising"})
cost("square", {integral = x^2})
solver {max_steps = 1000000000, max_events = 100000000}
horizon(0, 1e7)
LUA

# A background job of a script ignores SIGINT, so the program is started by one that does not.
set -m
for words in "run long.lua --json" "gradient long.lua --json"; do
    # shellcheck disable=SC2086
    "$saltus" $words > out.txt 2> err.txt < /dev/null &
    pid=$!
    sleep 1
    kill -INT $pid
    wait $pid
    status=$?
    command_line=$words err=$(cat err.txt)
    expect_status 130 "interrupted"
    flatten out.txt > flat
    expect_equal "$(value_at flat end)" "interrupted" "end of $words"
    expect_equal "$(value_at flat error.status)" "ERR_INTERRUPTED" "error of $words"
    claim
    [[ -n $(value_at flat events.0.time) ]] || fail "events so far of $words"
done

finish
