#!/usr/bin/env bash
# saltus report: the file, its name, and what can go wrong. tests/web looks at the page itself.
. "$(dirname "$0")/common.sh" "$@"

run "$saltus" report ball.lua
if [[ $err == *"built without the report"* ]]; then
    expect_status 1 "built without esbuild or dygraphs"
    expect_err "install esbuild and libjs-dygraphs" "what is missing"
    claim
    [[ ! -e ball.html ]] || fail "no empty page is left"
    finish
fi
expect_status 0 "report"
expect_out "ball.html (" "the name is that of the model"
claim
grep -q '<title>ball - Saltus report</title>' ball.html || fail "the title"
claim
grep -q '^<!DOCTYPE html>' ball.html || fail "it is a page"
claim
grep -qE '@SALTUS-[A-Z_]+@' ball.html && fail "nothing is left to fill in" "$(grep -oE '@SALTUS-[A-Z_]+@' ball.html)"
claim
grep -qE '(src|href)="?https?:|@import|[^A-Za-z]url\(' ball.html && fail "it asks for nothing elsewhere"

claim
grep -q "unsafe-inline" ball.html && fail "scripts and styles are allowed by their hashes"
claim
for part in "base-uri 'none'" "form-action 'none'" "default-src 'none'"; do
    grep -qF "$part" ball.html || fail "the policy says $part"
done
claim
grep -q "The above copyright notice and this permission notice" ball.html || fail "the licence of dygraphs is in it"

# ---- where it is written
mkdir models
cp ball.lua models/second.lua
run "$saltus" report models/second.lua --quiet
expect_status 0 "report of a model elsewhere"
expect_no_out "--quiet"
claim
[[ -s second.html ]] || fail "it is written here"
run "$saltus" report ball.lua -o -
expect_status 0 "-o -"
claim
head -n 1 out.txt | grep -q '<!DOCTYPE html>' || fail "the page on standard output"
run "$saltus" report - -o std.html --quiet < ball.lua
run "$saltus" report ball.lua -o ball.csv
expect_status 1 "another ending"
expect_err "a report ends in .html" "another ending"
run "$saltus" report ball.lua -o - --json
expect_status 1 "both on standard output"
run "$saltus" report ball.lua -o nowhere/ball.html
expect_status 1 "a folder that is not there"
expect_err "cannot write 'nowhere/ball.html'" "a folder that is not there"
if [[ -e /dev/full ]]; then
    ln -s /dev/full full.html
    run "$saltus" report ball.lua -o full.html
    expect_status 1 "a full disk"
    expect_err "cannot write 'full.html'" "a full disk"
fi
sed 's/"e", 0.8/"e", 0.75/' ball.lua > softer.lua
run "$saltus" report ball.lua softer.lua -o two.html
expect_status 0 "two models"
claim
grep -q '"comparison":{"same":false,"parameters":\[{"name":"e","a":0.8' two.html || fail "what differs is in it"
run "$saltus" gradient ball.lua --set e=0.75 --json
cp out.txt saved.json
run "$saltus" report ball.lua saved.json -o saved.html
expect_status 0 "a model and a saved result"
claim
grep -q '"parameters":\[{"name":"e","a":0.8' saved.html || fail "with the parameters of the result"
run "$saltus" report ball.lua bal.lua -o three.html
expect_status 1 "a second model that is not there"
claim
[[ ! -e three.html ]] || fail "no page is left"
run "$saltus" report ball.lua ball.lua ball.lua
expect_status 1 "three models"

# ---- what goes wrong with the model
printf 'model "wrong"\nmodle()\n' > wrong.lua
run "$saltus" report wrong.lua
expect_status 2 "a model that is wrong"
claim
[[ ! -e wrong.html ]] || fail "no page is written"
sed 's/guess = -1/guess = -1/; s/start = x0/start = 2/' "$source_dir/models/cartesian_pendulum.lua" > far.lua
run "$saltus" report far.lua
expect_status 3 "cannot be assembled"
claim
[[ ! -e far.html ]] || fail "no page is left that shows nothing"
sed 's/param("e", 0.8/param("e", 0.3/; s/horizon(0, 2)/horizon(0, 5)/' ball.lua > zeno.lua
run "$saltus" report zeno.lua
expect_status 3 "a run that cannot go on"
expect_out "zeno.part.html" "what there is is written"
claim
grep -q '"end":"zeno"' zeno.part.html || fail "how it ended is in it"
claim
grep -q 'accumulate' zeno.part.html || fail "why is in it"

# ---- numbers
run "$saltus" report ball.lua --json
flatten out.txt > report.flat
expect_equal "$(value_at report.flat report)" "ball.html" "the path is in --json"
"$saltus" gradient ball.lua --method discrete --event-times --json | flatten > gradient.flat
for path in costs.area.value costs.area.gradient.h costs.height.gradient.e events.2.time events.1.time_gradient.e; do
    expect_equal "$(value_at report.flat $path)" "$(value_at gradient.flat $path)" "$path"
done
cp ball.html first.html
run "$saltus" report ball.lua --json
expect_same first.html ball.html "equal calls, equal files"

finish
