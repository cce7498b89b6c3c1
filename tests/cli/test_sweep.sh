#!/usr/bin/env bash
# saltus sweep: what is done is kept, whatever ends the program.
. "$(dirname "$0")/common.sh" "$@"

run "$saltus" sweep ball.lua --over h=1,2
if [[ $err == *"without SQLite"* ]]; then
    echo "skipped: this saltus was built without SQLite"
    exit 77
fi

# ---- points, and what is known of each
run "$saltus" sweep ball.lua --over h=1:2:3 --over e=0.7,0.8 --gradients --final 'y,a*' -o first.db --csv first.csv
expect_status 0 "a sweep"
expect_no_err "a sweep"
expect_out "6 points, 6 done in first.db, 0 failed" "the summary"
expect_equal "$(head -n 1 first.csv)" 'point,h,e,end,error,message,t_end,events,sequence,count(floor),area,height,y,"a,""b",d(area)/d(h),d(area)/d(e),d(height)/d(h),d(height)/d(e)' "the header"
expect_equal "$(cut -d, -f1-3 first.csv | tail -n +2 | tr '\n' ' ')" \
    "1,1,0.7 2,1,0.8 3,1.5,0.7 4,1.5,0.8 5,2,0.7 6,2,0.8 " \
    "the last one changes fastest"
expect_equal "$(sed -n 3p first.csv | cut -d, -f4-8)" "horizon,,,2,3" "how it ended"
expect_equal "$(sed -n 3p first.csv | cut -d, -f9)" 'floor*3' "the sequence of events"
# The numbers are those of saltus gradient.
run "$saltus" gradient ball.lua --set h=1.5 --set e=0.7 --json
flatten out.txt > flat
row=$(sed -n 4p first.csv)
expect_equal "$(cut -d, -f11 <<< "$row")" "$(printf %.17g "$(value_at flat costs.area.value)")" "a cost"
expect_equal "$(cut -d, -f15 <<< "$row")" "$(printf %.17g "$(value_at flat costs.area.gradient.h)")" "a derivative"
expect_equal "$(cut -d, -f18 <<< "$row")" "$(printf %.17g "$(value_at flat costs.height.gradient.e)")" "the last one"
expect_near "$(cut -d, -f14 <<< "$row")" "$(cut -d, -f13 <<< "$row" | awk '{ printf "%.17g", 2 * $1 }')" 1e-15 "an output"

# A database in memory gives the same table; so do other numbers of threads.
for threads in 1 3; do
    run "$saltus" sweep ball.lua --over h=1:2:3 --over e=0.7,0.8 --gradients --final 'y,a*' --threads $threads --csv -
    expect_same out.txt first.csv "$threads threads, no file"
done

# ---- a run that fails is a row
cat > zeno.lua << 'LUA'
model "zeno"
local e = param("e", 0.9, {lower = 0, upper = 1})
local y = coordinate("y", {start = 1})
mass(y, 1)
force(y, -9.81)
event("floor", {when = y, direction = "falling", restitution = e})
cost("area", {integral = y})
horizon(0, 2)
LUA
run "$saltus" sweep zeno.lua --over e=0.2,0.9 --gradients --json --csv zeno.csv
expect_status 0 "one of two"
flatten out.txt > flat
expect_equal "$(value_at flat points) $(value_at flat done) $(value_at flat failed)" "2 2 1" "one failed"
expect_equal "$(sed -n 2p zeno.csv | cut -d, -f3,4)" "zeno,ERR_UNFINISHED" "how"
claim
[[ $(sed -n 2p zeno.csv) == *"Zeno: event 'floor'"*,, ]] || fail "a message, and no numbers" "$(sed -n 2p zeno.csv)"
run "$saltus" sweep zeno.lua --over e=0.2,0.3
expect_status 3 "all of them"
expect_err "no point could be simulated" "all of them"

# ---- names that SQLite does not tell apart, or that are its own
cat > names.lua << 'LUA'
model "names"
local a, A, point, x = param("a", 1), param("A", 2), param("point", 3), param('x"', 4)
local y = coordinate("y", {start = a})
mass(y, A)
force(y, point + x)
cost("Y", {final = y})
cost("a", {final = a})
cost("error", {final = a})
horizon(0, 1)
LUA
run "$saltus" sweep names.lua --over a=1 --over A=2 --over point=3 --over 'x"=4' --final y -o names.db --csv -
expect_status 0 "names"
expect_equal "$(head -n 1 out.txt)" \
    'point,a,param(A),param(point),"x""",end,error,message,t_end,events,sequence,Y,cost(a),cost(error),final(y)' "names"

# ---- continuing
grid=(--over h=1:2:400 --over e=0.5:0.9:5 --gradients)
run "$saltus" sweep ball.lua "${grid[@]}" -o whole.db --csv whole.csv
expect_status 0 "in one go"
run "$saltus" sweep ball.lua "${grid[@]}" -o whole.db
expect_status 1 "it is there already"
expect_err "continue it with --resume" "it is there already"
run "$saltus" sweep ball.lua "${grid[@]}" -o whole.db --resume --csv again.csv --json
expect_status 0 "nothing left"
flatten out.txt > flat
expect_equal "$(value_at flat stats.computed)" 0 "nothing is computed again"
expect_same again.csv whole.csv "the table again"
# More points: those that are there stay.
run "$saltus" sweep ball.lua --over h=1,1.5,2 --over e=0.5,0.7 -o more.db
run "$saltus" sweep ball.lua --over h=1,3 --over e=0.5,0.7 -o more.db --resume --csv more.csv --json
flatten out.txt > flat
expect_equal "$(value_at flat stats.computed) $(value_at flat points)" "2 8" "two of four are new"
expect_equal "$(tail -n 2 more.csv | cut -d, -f1-3 | tr '\n' ' ')" "7,3,0.5 8,3,0.7 " "at the end"

# ---- killed at random moments, again and again: nothing is lost, nothing is there twice
long_model 40
grid=(--over w=3:4:200 --gradients)
run "$saltus" sweep long.lua "${grid[@]}" --csv once.csv
expect_status 0 "in one go"
# What a kill leaves behind: rows never get fewer, until all are there and it begins anew.
look_at() { # database
    local now
    command -v sqlite3 > /dev/null || return
    [[ $(sqlite3 "$1" 'PRAGMA integrity_check') == ok ]] || echo "broken" >> broken
    now=$(sqlite3 "$1" 'SELECT count(*) FROM results' || echo 0)
    ((now >= rows)) || echo "$rows rows, then $now" >> broken
    ((now > rows)) && grown=$((grown + 1))
    rows=$now
}
RANDOM=18
kills=0 rows=0 grown=0 complete=0
{
    while ((kills < 50)); do
        "$saltus" sweep long.lua "${grid[@]}" -o killed.db --resume --quiet --csv killed.csv &
        pid=$!
        sleep "0.$(printf %03d $((RANDOM % 200)))"
        kill -KILL $pid && kills=$((kills + 1))
        if wait $pid; then
            complete=$((complete + 1)) rows=0
            cmp killed.csv once.csv || echo "not as in one go" >> broken
            rm killed.db
        else look_at killed.db; fi
    done
} > /dev/null 2>&1
echo "$kills kills, rows grew $grown times, $complete complete sweeps"
expect_equal "$(cat broken 2> /dev/null)" "" "the database after $kills kills"
run "$saltus" sweep long.lua "${grid[@]}" -o killed.db --resume --csv killed.csv --json
expect_status 0 "after $kills kills"
expect_same killed.csv once.csv "after $kills kills, as in one go"

finish
