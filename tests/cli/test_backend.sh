#!/usr/bin/env bash
# Compiled code: the same output as interpreted, what is said where it is not to be had, and
# `saltus compile`, whose code is built and run.
. "$(dirname "$0")/common.sh" "$@"
export XDG_CACHE_HOME=$PWD/cache
mkdir cache
unset CC

# ---- the same bytes, but for the options and the statistics
for model in five_bar string_taut coulomb; do
    for backend in interp native; do
        "$saltus" gradient "$source_dir/models/$model.lua" --backend $backend --json > all.json
        sed '/"stats"/,$d; /"backend"/d' all.json > $backend.json
        sed -n '/"stats"/,$p' all.json | grep '"backend"' > $backend.txt
    done
    expect_same interp.json native.json "$model, interpreted and compiled"
    expect_equal "$(cat interp.txt)" '    "backend": "interp",' "statistics, interpreted"
    expect_equal "$(cat native.txt)" '    "backend": "native",' "statistics, compiled"
done

# ---- auto: the cache is used, nothing is compiled for a short run
run "$saltus" run "$source_dir/models/five_bar.lua" --json
expect_out '"backend": "auto"' "the default"
expect_out '"backend": "native"' "what is in the cache is used"
expect_out '"compile_seconds": 0.0' "nothing is compiled"
run env XDG_CACHE_HOME="$PWD/none" "$saltus" run "$source_dir/models/five_bar.lua" --json
expect_out '"backend": "interp"' "nothing in the cache"
claim
[[ ! -e none ]] || fail "looking for code makes no folder"

# ---- no compiler
run env XDG_CACHE_HOME="$PWD/none" CC=/bin/false "$saltus" run \
    "$source_dir/models/five_bar.lua" --backend native --json
expect_status 0 "a compiler that fails"
expect_err "interpreting instead of native code: the C compiler '/bin/false' failed" "the reason"
expect_out '"backend_note": "the C compiler' "the note"
run env XDG_CACHE_HOME="$PWD/none" CC=/nowhere/cc "$saltus" run \
    "$source_dir/models/five_bar.lua" --repeat 2
expect_status 0 "no compiler"
expect_no_err "auto does not complain"

# ---- solver{backend = ...}
cat > wish.lua << 'END'
local x = coordinate("x", {start = 1})
mass(x, 1)
force(x, -x)
solver {backend = "native"}
cost("x", {final = x})
horizon(0, 1)
END
run "$saltus" run wish.lua --json
expect_out '"backend": "native"' "the script asks for it"
run "$saltus" run wish.lua --backend interp --json
expect_out '"backend": "interp"' "the command line wins"
sed 's/"native"/"fast"/' wish.lua > wrong.lua
run "$saltus" run wrong.lua
expect_status 2 "a wrong backend"
expect_err "wrong.lua:4: error: solver: backend is auto, interp or native, not 'fast'" "the place"

# ---- saltus compile
cat > many.lua << 'END'
local k = param("k", 2)
local last
for i = 1, 200 do
  local x = coordinate("x" .. i, {start = i / 7})
  mass(x, 1 + i / 100)
  potential(k * cos(last and x - last or x) * (1 + 1 / i))
  last = x
end
cost("c", {final = last})
horizon(0, 1)
END
# The first row of the motion has the columns ddot(...) and multiplier(...), in the order of the output.
compare_start() { # model, what
    claim
    awk -F, -v file=accelerations.txt '
        NR == 1 { for (i = 1; i <= NF; i++) wanted[i] = $i ~ /^(ddot|multiplier)\(/ }
        NR == 2 { for (i = 1; i <= NF; i++) if (wanted[i]) expected[++count] = $i }
        END {
            largest = 1
            for (i = 1; i <= count; i++) if (expected[i]^2 > largest^2) largest = expected[i]
            while ((getline line < file) > 0) {
                sub(/.*= /, "", line)
                off = (line - expected[++row]) / largest
                if (off * off > 1e-24) { print "number", row, line, expected[row]; bad = 1 }
            }
            if (row != count || row == 0) { print row, "numbers, expected", count; bad = 1 }
            exit bad
        }' start.csv > awk.txt || fail "$1: accelerations at the start, $2" "$(cat awk.txt)"
}
cp "$source_dir"/models/{five_bar,string_taut,coulomb,cradle,tumbling_box,double_pendulum_angles}.lua .
for model in five_bar string_taut coulomb cradle tumbling_box double_pendulum_angles many; do
    run "$saltus" compile $model.lua -o $model
    expect_status 0 "compile $model"
    "$saltus" run $model.lua --until 1e-6 --quiet -o start.csv
    for way in "by solved kernels" "with the matrix"; do
        run make -C $model CFLAGS="-std=gnu11 -O2 -march=native -fno-math-errno -fno-builtin \
            -ffp-contract=off -Wall -Wextra -Werror"
        expect_status 0 "make $model"
        ./$model/main > accelerations.txt || fail "$model/main runs, $way"
        compare_start $model "$way"
        rm -f $model/main
        sed -i 's/#ifdef SALTUS_LIMIT/#if 0/' $model/main.c
    done
done
claim
if grep -rE 'P1|string|link|"x' five_bar/kernels.[ch] many/kernels.[ch] > found.txt; then
    fail "nothing of the script is in the code" "$(cat found.txt)"
fi

echo "/* mine */" >> five_bar/main.c
run "$saltus" compile five_bar.lua -o five_bar
expect_out "five_bar/main.c (was there, left as it is)" "files that are there"
claim
grep -q mine five_bar/main.c || fail "main.c is not written again"
run "$saltus" compile five_bar.lua
expect_status 1 "no folder"
expect_err "a folder is missing: write saltus compile five_bar.lua -o FOLDER" "no folder"
run "$saltus" compile five_bar.lua -o wish.lua
expect_status 1 "a file in the way"
expect_err "'wish.lua' cannot be made a folder: there is a file of that name" "a file in the way"
run "$saltus" compile five_bar.lua -o other --json
expect_out '"other/kernels.c"' "the list of files"
finish
