#!/usr/bin/env bash
# --json: keys and their order, equal runs, errors, --params.
. "$(dirname "$0")/common.sh" "$@"

# ---- the keys and their order are a contract
run "$saltus" run ball.lua --json
expect_status 0 "run --json"
expect_equal "$(top_keys out.txt)" \
    "saltus script options model method parameters settings costs events final end warnings stats" \
    "keys of run"
cp out.txt run.json
flatten run.json > run.flat
expect_equal "$(value_at run.flat saltus)" "0.1.0" "saltus"
expect_equal "$(value_at run.flat script.file)" "ball.lua" "script.file"
expect_equal "$(value_at run.flat script.sha256)" "$(sha256sum ball.lua | cut -d' ' -f1)" "sha256"
expect_equal "$(value_at run.flat model)" "ball" "model"
expect_equal "$(value_at run.flat parameters.e)" "0.8" "numbers have as many digits as they need"
expect_equal "$(value_at run.flat settings.n)" "3.0" "a setting that is a number"
expect_equal "$(value_at run.flat settings.variant)" "soft" "a setting that is a text"
expect_equal "$(value_at run.flat end)" "horizon" "end"
expect_equal "$(value_at run.flat events.0.name)" "floor" "events"
expect_equal "$(value_at run.flat events.0.from)" "null" "no modes"
expect_equal "$(value_at run.flat final.mode)" "null" "no modes"
expect_equal "$(value_at run.flat final.memory.höhe)" "7.0" "names beyond ASCII"
expect_equal "$(value_at run.flat options.until)" "null" "until"
expect_equal "$(value_at run.flat options.wrt.1)" "e" "wrt"
expect_near "$(value_at run.flat events.0.time)" 0.45152364098573089 1e-12 "time of the first impact"
expect_near "$(value_at run.flat events.2.time)" 1.7519117270246358 1e-9 "time of the third impact"
expect_near "$(value_at run.flat events.0.impulse)" 7.9730044525260366 1e-9 "impulse"
expect_near "$(value_at run.flat costs.area.value)" 0.81190097389850857 1e-8 "area"
expect_near "$(value_at run.flat final.position.y)" 0.26074172832705733 1e-8 "final.position"
expect_near "$(value_at run.flat final.acceleration.y)" -9.81 1e-12 "final.acceleration"
for key in rtol atol integrator max_step first_step max_steps max_events event_rate_min \
    impacts record_memory fd_step method formulation backend until seed; do
    claim
    [[ -n $(value_at run.flat options.$key) ]] || fail "options.$key is there"
done
for key in steps rejected evaluations replayed seconds; do
    claim
    [[ -n $(value_at run.flat stats.$key) ]] || fail "stats.$key is there"
done
claim
! command -v jq > /dev/null || jq -e . run.json > jq.txt 2>&1 || fail "it is JSON" "$(cat jq.txt)"

# ---- impulses of constraints
run "$saltus" run "$source_dir/models/string_taut.lua" --json
flatten out.txt > string.flat
expect_equal "$(value_at string.flat events.0.impulse)" "null" "no contact"
expect_near "$(value_at string.flat events.0.impulses.string)" \
    "$(value_at string.flat costs.impulse_dmu.value)" 1e-12 "the impulse of the string"
expect_near "$(value_at string.flat events.0.energy_lost)" 5.8747513163087 1e-8 "energy lost"
run "$saltus" run "$source_dir/models/shaker.lua" --json
flatten out.txt > shaker.flat
expect_equal "$(value_at shaker.flat events.0.impulses.table)" "0.0" "bounce: not active after it"
expect_equal "$(value_at shaker.flat events.5.impulses)" "null" "leave: no impact"

# ---- equal runs give equal bytes, but for stats
for words in "run ball.lua --jumps" "gradient ball.lua" "gradient ball.lua --method direct,fd" \
    "check ball.lua" "show ball.lua" "dump ball.lua"; do
    # shellcheck disable=SC2086
    run "$saltus" $words --json
    cp out.txt first.json
    # shellcheck disable=SC2086
    run "$saltus" $words --json
    claim
    cmp -s <(without_stats first.json) <(without_stats out.txt) ||
        fail "two equal runs of '$words'" "$(diff <(without_stats first.json) <(without_stats out.txt))"
    claim
    grep -q '"stats"' out.txt || fail "'$words' has stats"
done
run "$saltus" run ball.lua --repeat 3 --json
claim
cmp -s <(without_stats run.json) <(without_stats out.txt) || fail "--repeat changes nothing but stats"

# ---- gradient
run "$saltus" gradient ball.lua --json
expect_equal "$(top_keys out.txt)" "saltus script options model method chosen parameters settings \
costs events final end end_gradient warnings stats" "keys of gradient"
flatten out.txt > flat
expect_equal "$(value_at flat method)" "direct" "the method that is chosen"
expect_equal "$(value_at flat chosen)" "auto" "that it was chosen"
expect_equal "$(value_at flat options.method)" "auto" "the default method"
claim
grep -q '^costs.area.gradient.g ' flat && fail "fixed parameters have no gradient"
claim
grep -q 'time_gradient' flat && fail "event times have a gradient only if it is asked for"
run "$saltus" gradient ball.lua --json --event-times
flatten out.txt > flat
claim
grep -q '^events.0.time_gradient.h ' flat || fail "event times have a gradient"
run "$saltus" gradient ball.lua --json --wrt g,h --cost 'h*'
flatten out.txt > flat
claim
grep -q '^costs.height.gradient.g ' flat || fail "--wrt reaches fixed parameters"
claim
grep -qE '^costs.area|gradient.e ' flat && fail "--wrt and --cost leave the others out"
expect_equal "$(grep '^options.wrt' flat | cut -d' ' -f2 | tr -d '\n')" '"h""g"' \
    "names come in the script's order"

run "$saltus" gradient ball.lua --json --method adjoint,fd
flatten out.txt > flat
expect_equal "$(value_at flat method)" "adjoint,fd" "several methods"
expect_equal "$(value_at flat chosen)" "" "nothing was chosen"
for method in adjoint fd; do
    expect_equal "$(value_at flat methods.$method.method)" "$method" "methods"
    expect_near "$(value_at flat methods.$method.costs.area.gradient.h)" 0.9571097327 1e-5 "methods"
done
claim
grep -q '^methods.*seconds' flat && fail "times are in stats only"

# ---- --jumps
run "$saltus" run ball.lua --jumps --json
flatten out.txt > flat
expect_equal "$(value_at flat events.0.jump_matrix.rows.1)" "dot(y)" "names of rows"
expect_equal "$(value_at flat events.0.jump_matrix.columns.6)" "e" "names of columns"
expect_near "$(value_at flat events.0.jump_matrix.values.0.0)" -0.8 1e-12 "dy+/dy- is -e"
expect_near "$(value_at flat events.0.jump_matrix.values.1.6)" 4.4294469180700204 1e-10 \
    "dv+/de is -v-"
# The singular values against a property: their squares sum up to those of all entries.
awk '/^events.0.jump_matrix.values/ { a += $2 * $2 } /^events.0.jump_matrix.singular/ { b += $2 * $2 }
    END { print b - a }' flat > difference.txt
expect_near "$(cat difference.txt)" 0 1e-9 "singular values"
expect_equal "$(value_at flat events.0.jump_size)" "$(value_at flat events.0.jump_matrix.singular_values.0)" \
    "the size of a jump is the largest singular value"
run "$saltus" run ball.lua --json
flatten out.txt > plain
claim
grep -q jump_matrix plain && fail "the matrix is for those who ask for it"
expect_near "$(value_at plain events.0.jump_size)" "$(value_at flat events.0.jump_size)" 1e-12 "its size is there"

# ---- costs that are not asked for cost nothing: neither steps nor events
sed 's/^cost("area".*/&\ncost("kinked", {integral = abs(y - 0.5)})/' ball.lua > kinked.lua
sed '/^cost("area"/d' ball.lua > single.lua
for words in "kinked.lua --cost height" single.lua; do
    # shellcheck disable=SC2086
    run "$saltus" gradient $words --json
    expect_status 0 "gradient $words"
    flatten out.txt | grep -E '^(costs|events|final|stats\.(steps|evaluations))' > "${words%% *}.flat"
done
expect_same kinked.lua.flat single.lua.flat "--cost: as if the model had no others"
run "$saltus" run kinked.lua --json
claim
grep -q 'abs@' out.txt || fail "with all costs there is a kink"

# ---- notes: what a small change of a parameter would do to the order of events
sed 's/horizon(0, 2)/horizon(0, 0.4516)/' ball.lua > late.lua
run "$saltus" gradient late.lua --event-times --json
flatten out.txt > late.flat
expect_equal "$(value_at late.flat events.0.notes.0)" "changing h by 0.034 % would move it past the end" \
    "close to the end"
sed 's/^event.*/&\nevent("near", {when = y - 0.001, direction = "falling"})/' ball.lua > near.lua
run "$saltus" gradient near.lua --wrt e --event-times --json
flatten out.txt > near.flat
expect_equal "$(value_at near.flat events.0.notes.0)" "" "e moves neither of the first two"
run "$saltus" gradient near.lua --wrt h --event-times --json
flatten out.txt > near.flat
expect_equal "$(value_at near.flat events.0.notes.0)" "" "h moves both alike"
sed 's/^event.*/local k = param("k", 1)\n&\nevent("near", {when = y - (k - 0.999), direction = "falling"})/' ball.lua > swap.lua
run "$saltus" gradient swap.lua --wrt k --event-times --json
flatten out.txt > near.flat
expect_equal "$(value_at near.flat events.0.notes.0)" "changing k by -0.1 % would exchange it with event 2" \
    "close to its neighbour"
sed 's/^event.*/local d = param("d", 0.001)\n&\nevent("near", {when = y - d, direction = "falling"})/' ball.lua > near.lua
run "$saltus" gradient near.lua --wrt d --json --set d=1e-14
flatten out.txt > near.flat
expect_equal "$(value_at near.flat events.0.notes.0)" "at the same instant as event 2" "one instant"
run "$saltus" run ball.lua --jumps --cost height --json
flatten out.txt > chosen
expect_equal "$(grep -c '^events.0.jump_matrix.rows' chosen)" 4 "--jumps --cost: rows"
expect_equal "$(value_at chosen events.0.jump_matrix.rows.3)" "height" "--jumps --cost: the row"
expect_equal "$(value_at chosen events.0.jump_matrix.columns.5)" "e" "--jumps --cost: columns"
expect_equal "$(value_at chosen events.0.jump_matrix.values.1.5)" \
    "$(value_at flat events.0.jump_matrix.values.1.6)" "--jumps --cost: the same numbers"
expect_equal "$(value_at chosen events.0.jump_matrix.values.3.3)" "1.0" "--jumps --cost: its entry"

# ---- --params
run "$saltus" run ball.lua --set e=0.7 --set variant=hard --json
cp out.txt earlier.json
run "$saltus" run ball.lua --params earlier.json --json
claim
cmp -s <(without_stats earlier.json) <(without_stats out.txt) || fail "--params with an earlier output"
run "$saltus" run ball.lua --params earlier.json --set e=0.6 --json
flatten out.txt > flat
expect_equal "$(value_at flat parameters.e)" "0.6" "--set wins over --params"
expect_equal "$(value_at flat settings.variant)" "hard" "--params reaches settings"
printf '{"e": 0.5, "n": 4, "variant": "2"}' > flat.json
run "$saltus" run ball.lua --set e=0.6 --params flat.json --json
flatten out.txt > flat
expect_equal "$(value_at flat parameters.e)" "0.6" "--set wins, in any order"
expect_equal "$(value_at flat settings.n)" "4.0" "a flat file"
expect_equal "$(value_at flat settings.variant)" "2" "a text that looks like a number"
"$saltus" run ball.lua --params - --json < flat.json > out.txt 2> err.txt
flatten out.txt > flat
expect_equal "$(value_at flat parameters.e)" "0.5" "--params -"
bad() { # content, text
    printf '%s' "$1" > bad.json
    run "$saltus" run ball.lua --params bad.json
    expect_status 1 "--params with $1"
    expect_err "bad.json" "--params with $1"
    expect_err "$2" "--params with $1"
}
bad '{"e": 0.5' "bad.json:1: error: not JSON"
bad '' "not JSON"
bad '[1]' "an object"
bad '{"e": null}' "'e' is null"
bad '{"e": [1]}' "'e' is not a plain value"
bad '{"e": 1, "e": 2}' "not JSON"
bad '{"": 1}' "empty name"
bad '{"e": 1e999}' "not JSON"

# ---- failures are in the object too, with what was computed before
sed 's/horizon(0, 2)/horizon(0, 10)/' ball.lua > zeno.lua
run "$saltus" run zeno.lua --json
expect_status 3 "zeno"
flatten out.txt > flat
expect_equal "$(value_at flat end)" "zeno" "end of a run that could not go on"
expect_equal "$(value_at flat costs.height.value)" "null" "a number that does not exist"
claim
grep -q '^events.5.time' flat || fail "the events before a failure are there"
claim
[[ -n $(value_at flat error.message) ]] || fail "error.message"
claim
[[ $(grep -cE '^error.(file|line) ' flat) == 2 ]] || fail "error has file and line"
expect_err "$(value_at flat error.message)" "the message is on stderr too"

printf 'model "x"\nlocal y = coordinate(3)\n' > wrong.lua
run "$saltus" run wrong.lua --json
expect_status 2 "a wrong model"
flatten out.txt > flat
expect_equal "$(value_at flat error.status)" "ERR_MODEL" "error.status"
expect_equal "$(value_at flat error.file)" "wrong.lua" "error.file"
expect_equal "$(value_at flat error.line)" "2" "error.line"
run "$saltus" run ball.lua --json --nonsense
expect_status 1 "wrong usage"
flatten out.txt > flat
expect_equal "$(value_at flat error.status)" "ERR_ARGUMENT" "wrong usage is an object too"

# ---- show
run "$saltus" show ball.lua --json
flatten out.txt > flat
expect_equal "$(value_at flat description.parameters.2.fixed)" "true" "show"
expect_equal "$(value_at flat description.parameters.1.upper)" "1.0" "show"
expect_equal "$(value_at flat description.parameters.0.upper)" "null" "no bound is null"
expect_equal "$(value_at flat description.events.0.direction)" "falling" "show"
expect_equal "$(value_at flat description.coordinates.0.doc)" "height" "show"
expect_equal "$(value_at flat description.coordinates.0.start)" "h" "show: a start as it is written"
expect_equal "$(value_at flat description.memories.0.start_value)" "7.0" "show: a memory"
run "$saltus" show ball.lua --set h=2.5 --json
flatten out.txt > flat
expect_equal "$(value_at flat description.coordinates.0.start_value)" "2.5" "show: with --set"
run "$saltus" show "$source_dir/models/cartesian_pendulum.lua"
expect_out "x     x0 = 0.75  vx0 = 0.5" "show: text and value"
expect_out "y     guess -1" "show: a guess"
run "$saltus" show "$source_dir/models/cartesian_pendulum.lua" --json
flatten out.txt > flat
expect_equal "$(value_at flat description.coordinates.1.guessed)" "true" "show: a guess"
expect_equal "$(value_at flat description.coordinates.1.speed)" "null" "show: it follows"
expect_equal "$(value_at flat description.constraints.0.name)" "rod" "show: constraints"

printf '%s\n' 'local x, y = coordinate("x"), coordinate("y")' 'local mu = param("mu", 0.3)' 'mass(x, 1)' 'mass(y, 1)' \
    'contact {gap = y, slip = dot(x), friction = {static = 2 * mu, kinetic = mu}, start = "closed", name = "foot"}' \
    'friction {x, limit = 5, name = "rail"}' 'horizon(0, 1)' > rough.lua
run "$saltus" show rough.lua
expect_out "foot  contact       2 * mu, sliding mu  closed     5" "show: a contact"
expect_out "rail  dry friction  at most 5                      6" "show: dry friction"
expect_out "    NAME.leave                it lets go" "show: events in words"
run "$saltus" show rough.lua --json
flatten out.txt > flat
expect_equal "$(value_at flat description.contacts.0.static)" "2 * mu" "show: friction"
expect_equal "$(value_at flat description.contacts.0.restitution)" "null" "show: none"
expect_equal "$(value_at flat description.contacts.1.touches)" "false" "show: dry friction"
expect_equal "$(value_at flat description.modes.0.initial)" "false" "show: whether it sticks or slides is found by the run"

# ---- names that are not UTF-8 would be one key in JSON
for word in param memory cost coordinate event mode output setting constraint; do
    case $word in
    param | memory | setting) line="$word('\\xff', 1)" ;;
    cost) line="cost('\\xfe', {final = y})" ;;
    event) line="event('\\xc0\\x80', {when = y})" ;;
    output | constraint) line="$word('\\xed\\xa0\\x80', y)" ;;
    *) line="$word('a\\xe4')" ;;
    esac
    printf 'model "m"\nlocal y = coordinate("y") mass(y, 1)\n%s\nhorizon(0, 1)\n' "$line" > bytes.lua
    run "$saltus" show bytes.lua --json
    expect_status 2 "$line"
    expect_err "bytes.lua:3: error: " "$line has its line"
    expect_err "is not UTF-8 (byte 0x" "$line"
done
printf 'model "m"\nparam("\\u{FFFD}", 1) param("日本", 1) param("é", 2)\nlocal y = coordinate("y") mass(y, 1)\nhorizon(0, 1)\n' > letters.lua
run "$saltus" show letters.lua --json
expect_status 0 "names of all languages"

finish
