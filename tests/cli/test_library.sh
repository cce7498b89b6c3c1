#!/usr/bin/env bash
# saltus new and saltus models: what they write runs, and nothing is written over.
. "$(dirname "$0")/common.sh" "$@"

# ---- new
run "$saltus" new swing
expect_status 0 "new"
expect_out "swing.lua written" "new says what it wrote"
expect_out "saltus run      swing.lua" "new says what to do next"
expect_equal "$(grep -c 'model "swing"' swing.lua)" "1" "the model has the name"
expect_equal "$(grep -c 'saltus run      swing.lua' swing.lua)" "1" "the comment has the file"
expect_equal "$(grep -c '@' swing.lua)" "0" "no mark is left"
run "$saltus" check swing.lua
expect_status 0 "a new model passes its checks"
expect_no_err "a new model has no warnings"
run "$saltus" run swing.lua --json
flatten out.txt > flat
expect_equal "$(value_at flat events.0.name)" "stop" "a new model has an event"
expect_near "$(value_at flat costs.swing.value)" 0.6517776207 1e-8 "a cost of the new model"

cp swing.lua before.lua
run "$saltus" new swing.lua
expect_status 1 "a file that is there"
expect_err "'swing.lua' is there already: choose another name" "a file that is there"
expect_same swing.lua before.lua "a file that is there is left alone"

mkdir folder
run "$saltus" new folder/two.lua --quiet
expect_status 0 "new in a folder"
expect_no_out "--quiet"
expect_equal "$(grep -c 'model "two"' folder/two.lua)" "1" "the name is that of the file"
run "$saltus" new 'a "quoted\' --json
expect_status 0 "a name with a quote"
flatten out.txt > flat
expect_equal "$(value_at flat file)" 'a \"quoted\\.lua' "--json has the file"
run "$saltus" show 'a "quoted\.lua'
expect_status 0 "a name with a quote is a model"
expect_out 'a "quoted\' "a name with a quote"

refused "a name is missing: write saltus new NAME" new
refused "cannot be the name of a model" new -- -
refused "cannot be the name of a model" new folder/
refused "cannot be the name of a model" new .lua
refused "not byte 10" new $'two\nlines'
refused "cannot write 'nowhere/x.lua': No such file" new nowhere/x
refused "not an option of 'new'" new x --set a=1
refused "not an option of 'new'" new x -o y.lua
refused "unexpected argument 'y'" new x y
expect_equal "$(ls x* y* 2> /dev/null)" "" "nothing is written by what is refused"

# ---- models
run "$saltus" models
expect_status 0 "models"
expect_equal "$(sed -n 's/^  \([a-z0-9_]*\)  *[A-Z].*/\1/p' out.txt)" \
    "$(cd "$source_dir/models" && printf '%s\n' *.lua | sed 's/\.lua$//')" "every model has a line"
expect_out "  cradle                  Newton's cradle with three balls
" "a sentence without its point"
claim
awk 'length > 126 || /[,:;]$/ { exit 1 }' out.txt || fail "lines that are too long, or cut badly" "$out"
run "$saltus" models --json
flatten out.txt > flat
expect_equal "$(value_at flat models.2.name)" "bouncing_ball" "models --json"
cradle=$(sed -n 's/^models\.\([0-9]*\)\.name "cradle"$/\1/p' flat)
expect_equal "$(value_at flat "models.$cradle.about")" "Newton's cradle with three balls" "models --json"

for name in bouncing_ball tumbling_box.lua; do
    file=${name%.lua}.lua
    run "$saltus" models "$name"
    expect_status 0 "models $name"
    expect_out "$file written" "models $name"
    expect_same "$file" "$source_dir/models/$file" "the copy of $name"
done
refused "'bouncing_ball.lua' is there already" models bouncing_ball
run "$saltus" models five_bar -o mine.lua --quiet
expect_no_out "models --quiet"
expect_same mine.lua "$source_dir/models/five_bar.lua" "models -o"
run "$saltus" models chain -o -
expect_same out.txt "$source_dir/models/chain.lua" "models -o -"
refused "did you mean five_bar?" models fivebar
refused "'saltus models' lists them" models zzzzzzzz
refused "which model is to be copied?" models -o x.lua
run "$saltus" models zzzzzzzz --json
flatten out.txt > flat
expect_equal "$(value_at flat error.status)" "ERR_ARGUMENT" "an error as JSON"

# ---- a model of ours that is not here
run "$saltus" run models/clutch.lua
expect_err "No such file or directory; 'saltus models clutch' writes it" "a model that is not here"
run "$saltus" run hopper
expect_err "; 'saltus models hopper' writes it" "a model that is not here"

finish
