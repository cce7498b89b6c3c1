#!/usr/bin/env bash
# saltus diff: two models, two saved results, one of each; and what can go wrong.
. "$(dirname "$0")/common.sh" "$@"

sed 's/"e", 0.8/"e", 0.75/' ball.lua > softer.lua
run "$saltus" gradient ball.lua --json
cp out.txt ball.json
run "$saltus" gradient softer.lua --json
cp out.txt softer.json

run "$saltus" diff ball.lua ball.json
expect_status 0 "a model and its own result"
expect_out "all the same, to 7 digits" "a model is what it was"

run "$saltus" diff ball.json softer.json --json
expect_status 0 "two results"
cp out.txt saved.json
run "$saltus" diff ball.lua softer.lua --json
expect_status 0 "two models"
claim
cmp -s <(grep -v '"file"' out.txt) <(grep -v '"file"' saved.json) || fail "models and their results differ alike"

# Against the two results themselves.
claim
node -e '
const [a, b, d] = ["ball.json", "softer.json", "saved.json"].map((f) => JSON.parse(require("fs").readFileSync(f)));
const same = (x, y) => JSON.stringify(x) === JSON.stringify(y);
const costs = Object.fromEntries(d.costs.map((c) => [c.name, c]));
let ok = !d.same && d.costs.length === Object.keys(a.costs).length;
ok &&= same(d.parameters.map((p) => [p.name, p.a, p.b]), [["e", 0.8, 0.75]]);
for (const [name, {value, gradient}] of Object.entries(a.costs)) {
  ok &&= costs[name].a === value && costs[name].b === b.costs[name].value;
  for (const [by, x] of Object.entries(gradient)) {
    const y = b.costs[name].gradient[by], row = d.gradient.find((r) => r.cost === name && r.by === by);
    const scale = Math.max(...Object.values(gradient).concat(Object.values(b.costs[name].gradient)).map(Math.abs));
    ok &&= Math.abs(x - y) > 1e-7 * scale ? row?.a === x && row?.b === y : !row;
  }
}
// The first bounce comes before e matters; the others are later by less and less energy.
ok &&= d.unchanged.events === 1 && d.events.every((e) => e.occurrence > 1);
ok &&= d.events.filter((e) => e.b !== null).every((e) => e.b === b.events[e.occurrence - 1].time);
process.exit(ok ? 0 : 1);' || fail "costs, derivatives and events are those of the two results"

run "$saltus" diff ball.lua softer.lua
expect_out "e          0.8  0.75   -0.05" "parameters that differ"
expect_out "events that differ" "events"

run "$saltus" diff ball.lua
expect_status 1 "one is not enough"
expect_err "diff compares two" "what is missing"
run "$saltus" diff ball.lua bal.lua
expect_status 1 "a file that is not there"
expect_err "did you mean 'ball.lua'" "the nearest file"
echo '{"a": 1}' > other.json
run "$saltus" diff ball.lua other.json
expect_status 1 "JSON that is no result"
expect_err 'has no "costs"' "why not"
echo '{"costs": ' > broken.json
run "$saltus" diff broken.json ball.lua
expect_status 1 "broken JSON"
expect_err "broken.json, line" "where it is broken"
run "$saltus" diff ball.lua softer.lua ball.lua
expect_status 1 "three are too many"
expect_err "unexpected argument" "which one"

run "$saltus" diff ball.lua ball.lua --method adjoint,direct
expect_status 1 "two methods"
expect_err "diff compares gradients by one method" "two methods"
finish
