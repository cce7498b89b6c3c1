#!/usr/bin/env bash
# --repeat: the median times of a forward run and of a complete gradient.
. "$(dirname "$0")/common.sh" "$@"

five_bar=$source_dir/models/five_bar.lua

less() { # a b what: a < b
    claim
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a ~ /^[0-9]/ && b ~ /^[0-9]/ && a < b) }' ||
        fail "$3: $1 is not below $2"
}

# ---- a gradient has its forward run in it, and both are there without --repeat too
for words in "" "--repeat 5"; do
    # shellcheck disable=SC2086
    run "$saltus" gradient "$five_bar" --method discrete $words --json
    expect_status 0 "gradient $words"
    flatten out.txt > flat
    forward=$(value_at flat stats.forward_seconds)
    less 0 "$forward" "forward_seconds $words"
    less "$forward" "$(value_at flat stats.gradient_seconds)" "gradient_seconds $words"
    expect_equal "$(value_at flat stats.gradient_seconds)" \
        "$(value_at flat stats.method_seconds.discrete)" "one method $words"
done
expect_equal "$(value_at flat stats.repeat)" 5 "how often"

run "$saltus" gradient "$five_bar" --method fd,direct --repeat 2 --until 0.5 --json
flatten out.txt > flat
expect_equal "$(value_at flat stats.gradient_seconds)" "$(value_at flat stats.method_seconds.fd)" \
    "of several methods the first"
less "$(value_at flat stats.method_seconds.direct)" "$(value_at flat stats.method_seconds.fd)" \
    "the direct method and differences"
run "$saltus" run ball.lua --repeat 3 --json
flatten out.txt > flat
less 0 "$(value_at flat stats.forward_seconds)" "forward_seconds of run"
expect_equal "$(value_at flat stats.gradient_seconds)" "" "run has no gradient"

# ---- without a parameter there is nothing but the forward run
sed '/^local/s/param("[a-z]*", \([0-9.]*\).*)/\1/' ball.lua > constant.lua
run "$saltus" gradient constant.lua --repeat 3 --method discrete --json
flatten out.txt > flat
less 0 "$(value_at flat stats.gradient_seconds)" "a gradient of nothing"
expect_equal "$(value_at flat stats.gradient_seconds)" "$(value_at flat stats.forward_seconds)" \
    "a gradient of nothing"

# ---- nothing but the times is another result
run "$saltus" gradient ball.lua --repeat 4 --json
cp out.txt repeated.json
run "$saltus" gradient ball.lua --json
claim
cmp -s <(without_stats repeated.json) <(without_stats out.txt) ||
    fail "--repeat changes nothing but stats" "$(diff repeated.json out.txt)"

# ---- a method that fails does not keep the others from being told
cat > kink.lua << 'LUA'
model "kink"
local h = param("h", 1)
local x = coordinate("x", {start = h, speed = -1})
mass(x, 1)
event("zero", {when = x, direction = "falling", where = 1.0000001 - h})
cost("end", {final = x})
horizon(0, 2)
LUA
run "$saltus" gradient kink.lua --method discrete,fd --fd-step 1 --repeat 2 --json
expect_status 3 "differences across an event"
flatten out.txt > flat
expect_near "$(value_at flat methods.discrete.costs.end.gradient.h)" 1 1e-9 "the other method"

# ---- text
run "$saltus" run ball.lua --repeat 2
expect_out "CPU seconds, forward run" "run --repeat"
run "$saltus" gradient ball.lua --repeat 2 --method discrete
expect_out "CPU seconds, gradient by discrete" "gradient --repeat"
run "$saltus" gradient ball.lua
claim
grep -q "CPU seconds" out.txt && fail "no times without --repeat"

# ---- mistakes
for words in 0 -1 1.5 many ''; do
    run "$saltus" run ball.lua "--repeat=$words"
    expect_status 1 "--repeat '$words'"
    expect_err "--repeat '$words'" "--repeat '$words'"
    expect_no_out "--repeat '$words'"
done
run "$saltus" check ball.lua --repeat 3
expect_status 1 "check --repeat"
expect_err "not an option of 'check' (but of: run, gradient)" "check --repeat"

finish
