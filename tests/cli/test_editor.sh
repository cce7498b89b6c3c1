#!/usr/bin/env bash
# What editors and luacheck are told about the language is what the language has.
. "$(dirname "$0")/common.sh" "$@"

# ---- the files
run "$saltus" new swing --editor
expect_status 0 "a model with files for editors"
expect_out "saltus.d.lua written." "what was written"
expect_out "saltus run      swing.lua" "what to do with it"
for file in saltus.d.lua .luarc.json .luacheckrc; do
    expect_same "$file" "$source_dir/cli/editor/${file#.}" "$file"
done
echo "-- mine" > .luacheckrc
run "$saltus" new folder/other --editor
expect_status 1 "a folder that is not there"
mkdir folder
run "$saltus" new folder/other.lua --editor --quiet
expect_status 0 "in another folder"
expect_no_out "quietly"
expect_same folder/.luarc.json .luarc.json "beside the model"
run "$saltus" new --editor
expect_status 0 "only files for editors"
expect_out ".luacheckrc is there already." "it stays"
expect_equal "$(cat .luacheckrc)" "-- mine" "it stays"
run "$saltus" new third
expect_equal "$(ls -A folder | wc -l) $(ls ./*.d.lua | wc -l)" "4 1" "only where they were asked for"
refused "a name is missing" new

# ---- every word, and every option of every word
meta=$source_dir/cli/editor/saltus.d.lua
sed -n '/^static const char \*const words/,/NULL/p' "$source_dir/src/script/words/words.c" | grep -o '"[a-z_0-9]*"' |
    tr -d '"' > words.txt
claim
(($(wc -l < words.txt) > 60)) || fail "the list of words was not found"
while read -r word; do
    claim
    grep -qE "^(function $word\(|$word = )" "$meta" || fail "saltus.d.lua has no '$word'"
    claim
    grep -q "\"$word\"" "$source_dir/cli/editor/luacheckrc" || fail ".luacheckrc has no '$word'"
    claim
    grep -q "^\"$word[\"({ ]" "$source_dir/tests/fuzz/language.dict" || fail "language.dict has no '$word'"
    claim
    grep -qw "$word" "$source_dir/docs/reference/language.md" "$source_dir/docs/reference/elements.md" ||
        fail "the pages of the language have no '$word'"
done < words.txt
# Options are lists in the calls that check them.
for file in "$source_dir"/src/script/words/bind_*.c; do
    tr '\n' ' ' < "$file" | grep -oE 'sal_lua_(options|link|element)\([^;]*;' | grep -oE '"[a-z_]+( [a-z_]+)+"'
done | tr -d '"' | tr ' ' '\n' | sort -u > options.txt
claim
(($(wc -l < options.txt) > 40)) || fail "the lists of options were not found"
while read -r option; do
    claim
    grep -qE "^---@field $option\??( |$)" "$meta" || fail "saltus.d.lua has no option '$option'"
done < options.txt
# Those of solver{...} are options of the program too.
"$saltus" help run | sed -n '/^Options of the solver/,/^Example/s/^  --\([a-z-]*\).*/\1/p' | tr - _ > solver.txt
while read -r option; do
    claim
    grep -qE "^---@field $option\? " "$meta" || fail "saltus.d.lua has no option '$option' of solver"
done < solver.txt
# An integrator must be known wherever its name is offered.
grep 'const integrators\[\]' "$source_dir/src/api/options.c" | grep -o '"[a-z0-9]*"' | tr -d '"' > integrators.txt
claim
(($(wc -l < integrators.txt) >= 2)) || fail "the list of integrators was not found"
while read -r name; do
    claim
    grep -qE "^---@field integrator\? .*\"$name\"" "$meta" || fail "saltus.d.lua has no integrator '$name'"
    claim
    grep -qE "CLI_SOLVER_integrator.*[\" ]$name[\" ]" "$source_dir/cli/commands.c" || fail "no completion of '$name'"
    claim
    grep -qE "X\(integrator, .*\<$name \(" "$source_dir/include/saltus/sim.h" || fail "sim.h does not explain '$name'"
    for page in reference/language reference/command-line theory/steps; do
        claim
        grep -qw "$name" "$source_dir/docs/$page.md" || fail "docs/$page.md has no integrator '$name'"
    done
done < integrators.txt
run "$saltus" run swing.lua --integrator nothing
while read -r name; do
    claim
    [[ $err == *$name* ]] || fail "the message about integrators has no '$name'" "$err"
done < integrators.txt
while read -r name; do
    run "$saltus" run swing.lua --integrator "$name" --quiet
    claim
    [[ $status == 0 ]] || fail "--integrator $name does not run" "$err"
done < integrators.txt
# It has no words of its own.
grep -oE '^function [a-z_0-9]+\(' "$meta" | sed 's/function //; s/(//' | while read -r word; do
    grep -qx "$word" words.txt || echo "$word"
done > strange.txt
expect_equal "$(cat strange.txt)" "" "words that the language does not have"

# ---- Lua itself, and luacheck
if command -v luac5.4 > /dev/null; then
    run luac5.4 -p "$meta"
    expect_status 0 "saltus.d.lua is Lua"
fi
if ! command -v luacheck > /dev/null; then
    echo "luacheck is not installed: models are not checked"
else
    run luacheck -q --no-color --config "$source_dir/cli/editor/luacheckrc" "$source_dir/models" swing.lua
    expect_status 0 "luacheck on our models"
    claim
    [[ $out == *"0 warnings / 0 errors"* ]] || fail "luacheck on our models" "$out"
    echo 'coordinat("x")' > wrong.lua
    run luacheck -q --no-color --config "$source_dir/cli/editor/luacheckrc" wrong.lua
    expect_out "undefined variable" "a word that is misspelt"
fi
finish
