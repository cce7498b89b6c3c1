#!/usr/bin/env bash
# saltus fit: results in JSON, -o and --params, --over, --profile, --data; files of data that are wrong.
. "$(dirname "$0")/common.sh" "$@"

cat > line.lua << 'EOF'
model "line"
local a, b, c = param("a", 0), param("b", 1), param("c", 7, {fixed = true})
local y = coordinate("y", {start = a, speed = b})
mass(y, 1)
local d = data("points")
measurement("y", {of = y, at = d.t, value = d.y})
cost("c", {final = c * y})
horizon(0, 5)
EOF
printf 't,y\n0,1.1\n1,2.9\n2,5.2\n3,6.8\n4,9.1\n5,11.3\n' > points.csv

# ---- the result
run "$saltus" fit line.lua --json
expect_status 0 "fit"
flatten out.txt > fit.flat
expect_equal "$(value_at fit.flat status)" "converged" "status"
expect_near "$(value_at fit.flat parameters.a.value)" 0.9809523809523809 1e-10 "a"
expect_near "$(value_at fit.flat parameters.b.value)" 2.0342857142857143 1e-10 "b"
expect_near "$(value_at fit.flat parameters.b.sd)" 0.046715232260688466 1e-10 "sd of b"
expect_near "$(value_at fit.flat rss)" 0.15276190476190477 1e-9 "rss"
expect_near "$(value_at fit.flat chi2)" 0.15276190476190477 1e-9 "chi2"
expect_equal "$(value_at fit.flat dof)" "4" "degrees of freedom"
expect_near "$(value_at fit.flat correlation.a.b)" -0.82572282384477 1e-10 "correlation"
expect_equal "$(value_at fit.flat parameters.c.value)" "7.0" "what is not fitted"
expect_near "$(value_at fit.flat parameters.b.interval.0)" 1.9045834363373475 1e-8 "interval"

# ---- files
run "$saltus" fit line.lua --quiet -o best.json
expect_status 0 "fit -o"
run "$saltus" run line.lua --params best.json --json
expect_status 0 "run --params"
flatten out.txt > run.flat
expect_near "$(value_at run.flat parameters.b)" 2.0342857142857143 1e-10 "parameters of the file"
run "$saltus" fit line.lua --over b --set a=1 --json
flatten out.txt > over.flat
expect_near "$(value_at over.flat parameters.b.value)" 2.0290909090909093 1e-10 "--over b"
expect_equal "$(value_at over.flat parameters.a.value)" "1.0" "a is not fitted"
run "$saltus" fit line.lua --profile --level 0.9 --json
flatten out.txt > profile.flat
expect_near "$(value_at profile.flat parameters.b.profile.0)" \
    "$(value_at profile.flat parameters.b.interval.0)" 1e-6 "a profile of a straight line"
printf 't,y\n0,0\n1,1\n2,2\n' > other.csv
run "$saltus" fit line.lua --data points=other.csv --json
flatten out.txt > other.flat
expect_near "$(value_at other.flat parameters.b.value)" 1 1e-10 "--data"

# ---- a search that cannot begin
run "$saltus" fit line.lua --set b=1 --until 3 --json
expect_status 3 "the run ends before the last time"
expect_out '"status": "no start"' "result"
run "$saltus" fit line.lua --over d
expect_status 1 "--over names what is not there"

# ---- data that are wrong
wrong() { # TEXT-OF-THE-FILE PART-OF-THE-MESSAGE
    printf "$1" > points.csv
    run "$saltus" fit line.lua
    claim
    [[ $status -ne 0 ]] || fail "refused: $2"
    expect_err "$2" "message"
}
wrong '' 'points.csv:1: the file is empty'
wrong 't,z\n0,1\n' "points.csv has no column 'y'; it has: t, z"
wrong 't,y\n0,1\n1,abc\n' "points.csv:3: column 'y': 'abc' is not a number"
wrong 't,y\n0,1\n1\n' 'points.csv:3: 1 cells, but the first line names 2 columns'
wrong 't,y\n0,1\n1,2,3\n' 'points.csv:3: more cells than the 2 columns'
wrong 't,y\n0,1\n,2\n2,3\n' "points.csv:4: column 't' has values here, but none in the line before"
wrong 't,y\n0,1\n2,2\n1,3\n' 'must not decrease'
wrong 't,y\n' 'is empty'
wrong 't,t\n0,1\n' "two columns are called 't'"
wrong 't,\n0,1\n' 'column 2 has no name'
wrong '0,1\n1,2\n' 'must name the columns'
wrong 't;y\n0;1\n' 'must be separated by commas'
wrong 't,y\n0,"1\n' 'a quote is opened and not closed'
wrong 't,y\n0,nan\n' 'is not a number'
wrong 't,y\n0,0x10\n' 'is not a number'
wrong 't,y\n0,1e999\n' 'is not a number'
rm points.csv
run "$saltus" fit line.lua
expect_err "cannot read" "message"
expect_err "--data points=FILE" "message"
ln -s other.csv points.csv
run "$saltus" fit line.lua
expect_err "it is a link" "message"
rm points.csv
mkfifo points.csv
run "$saltus" fit line.lua
expect_err "it is not a plain file" "message"
rm points.csv
sed 's|"points"|"../points"|' line.lua > up.lua
run "$saltus" fit up.lua
expect_err "only files beside the model can be read" "message"

# ---- what is right: a byte order mark, lines of Windows, quotes, blanks, comments, empty lines
printf '\xef\xbb\xbf"t", "y"\r\n# a comment\r\n0,1\r\n\r\n 1 , "2" \r\n2,3\r\n' > points.csv
run "$saltus" fit line.lua --json
expect_status 0 "a file of another system"
flatten out.txt > windows.flat
expect_near "$(value_at windows.flat parameters.b.value)" 1 1e-10 "its values"

finish
