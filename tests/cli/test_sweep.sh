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
expect_equal "$(head -n 1 first.csv)" 'point,h,e,end,error,message,t_end,steps,events,sequence,count(floor),area,height,y,"a,""b",d(area)/d(h),d(area)/d(e),d(height)/d(h),d(height)/d(e)' "the header"
expect_equal "$(cut -d, -f1-3 first.csv | tail -n +2 | tr '\n' ' ')" \
    "1,1,0.7 2,1,0.8 3,1.5,0.7 4,1.5,0.8 5,2,0.7 6,2,0.8 " \
    "the last one changes fastest"
expect_equal "$(sed -n 3p first.csv | cut -d, -f4-7,9)" "horizon,,,2,3" "how it ended"
expect_equal "$(sed -n 3p first.csv | cut -d, -f10)" 'floor*3' "the sequence of events"
# The numbers are those of saltus gradient.
run "$saltus" gradient ball.lua --set h=1.5 --set e=0.7 --json
flatten out.txt > flat
row=$(sed -n 4p first.csv)
expect_equal "$(cut -d, -f12 <<< "$row")" "$(printf %.17g "$(value_at flat costs.area.value)")" "a cost"
expect_equal "$(cut -d, -f16 <<< "$row")" "$(printf %.17g "$(value_at flat costs.area.gradient.h)")" "a derivative"
expect_equal "$(cut -d, -f19 <<< "$row")" "$(printf %.17g "$(value_at flat costs.height.gradient.e)")" "the last one"
expect_near "$(cut -d, -f15 <<< "$row")" "$(cut -d, -f14 <<< "$row" | awk '{ printf "%.17g", 2 * $1 }')" 1e-15 "an output"

# A database in memory gives the same table; so do other numbers of threads.
for threads in 1 3; do
    run "$saltus" sweep ball.lua --over h=1:2:3 --over e=0.7,0.8 --gradients --final 'y,a*' --threads $threads --csv -
    expect_same out.txt first.csv "$threads threads, no file"
done

# As arrays of NumPy.
if /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
    run "$saltus" sweep ball.lua --over h=1:2:3 --over e=0.7,0.8,0.01 --gradients --final 'y,a*' --csv table.csv --npz table.npz
    expect_status 0 "arrays"
    cat > arrays.py << 'PYTHON'
import csv, math, numpy
table = list(csv.DictReader(open("table.csv")))
arrays = numpy.load("table.npz", allow_pickle=False)
texts = {"end": "ends", "error": "errors", "message": "messages", "sequence": "sequences"}
assert set(arrays.files) == set(table[0]) | set(texts.values()), arrays.files
for name in table[0]:
    column, got = [row[name] for row in table], arrays[name]
    if name in texts:
        got = [arrays[texts[name]][code] if code >= 0 else "" for code in got]
        assert list(got) == column, name
    else:
        assert got.dtype.kind == ("i" if name in ("point", "steps", "events", "count(floor)") else "f"), (name, got.dtype)
        assert all(g == float(c) if c else (math.isnan(g) or g == -1) for g, c in zip(got, column)), name
assert any(row["error"] for row in table)
PYTHON
    run /usr/bin/python3 arrays.py
    expect_status 0 "arrays have what the table has"
    cp table.npz kept.npz
    run "$saltus" sweep ball.lua --over h=1:2:3 --over e=0.7,0.8,0.01 --gradients --final 'y,a*' --npz table.npz --threads 1
    expect_same table.npz kept.npz "the same arrays again"
fi
refused "is named twice" sweep ball.lua --over h=1 --csv one.npz --npz one.npz
refused "--npz needs the name of a file" sweep ball.lua --over h=1 --npz -
refused "is the database of -o" sweep ball.lua --over h=1 -o first.db --resume --npz first.db

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
    'point,a,param(A),param(point),"x""",end,error,message,t_end,steps,events,sequence,Y,cost(a),cost(error),final(y)' "names"

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

# ---- samples
numbers() { tail -n +2 "$1" | cut -d, -f"$2"; }
run "$saltus" sweep ball.lua --over 'h~uniform(1,3)' --over 'e~uniform(0.8,0.9)' --sample lhs:50 --csv lhs.csv
expect_status 0 "a Latin hypercube"
expect_equal "$(numbers lhs.csv 2 | awk '{ print int(($1 - 1) / 2 * 50) }' | sort -n | tr '\n' ' ')" \
    "$(seq -s ' ' 0 49) " "each part of the range has a point"
expect_equal "$(numbers lhs.csv 3 | awk '{ print int(($1 - 0.8) / 0.1 * 50) }' | sort -n | tr '\n' ' ')" \
    "$(seq -s ' ' 0 49) " "of the second one too"
run "$saltus" sweep ball.lua --over 'h~uniform(1,3)' --over 'e~uniform(0.8,0.9)' --sample sobol:64 --csv sobol.csv
# Any box of area 1/64, one quarter by one sixteenth say, has one point of this net.
for cut in "64 1" "16 4" "8 8" "4 16" "1 64"; do
    # shellcheck disable=SC2086
    expect_equal "$(tail -n +2 sobol.csv | cut -d, -f2,3 | awk -F, -v a=${cut% *} -v b=${cut#* } \
        '{ print int(($1 - 1) / 2 * a), int(($2 - 0.8) / 0.1 * b) }' | sort -u | wc -l)" 64 "a net, $cut"
done
run "$saltus" sweep ball.lua --over 'h~normal(2,0.1)' --sample sobol:1024 --until 0.1 --json --csv normal.csv
flatten out.txt > flat
expect_near "$(numbers normal.csv 2 | awk '{ s += $1 } END { print s / NR }')" 2 1e-3 "the mean"
expect_near "$(numbers normal.csv 2 | awk '{ s += ($1 - 2)^2 } END { print sqrt(s / NR) }')" 0.1 1e-3 "the deviation"
# The ball has fallen by the same way from each height.
expect_near "$(value_at flat statistics.height.sd)" 0.1 1e-3 "the deviation of a cost"
expect_near "$(value_at flat statistics.height.median)" "$(awk 'BEGIN { print 2 - 9.81 * 0.1^2 / 2 }')" 1e-3 "its median"
run "$saltus" sweep ball.lua --over 'h~normal(2,0.1)' --sample sobol:1024 --until 0.1 --seed 7 --csv other.csv
claim
cmp -s normal.csv other.csv && fail "another seed, other points"
# A value beyond its bounds is a row.
run "$saltus" sweep ball.lua --over 'e~normal(1,0.1)' --sample random:20 --csv -
expect_out "ERR_ARGUMENT,\"parameter 'e' = 1." "beyond a bound"

# ---- points from files
printf 'h, e\n1,0.8\n2,"0.7"\n\n' > points.csv
printf '{"h": 1, "e": 0.8}\n{"e": 0.7, "h": 2}\n' > points.jsonl
for kind in csv jsonl; do
    run "$saltus" sweep ball.lua --points points.$kind --over g=9,10 --csv $kind.out
    expect_equal "$(tail -n +2 $kind.out | cut -d, -f1-4 | tr '\n' ' ')" "1,9,1,0.8 2,9,2,0.7 3,10,1,0.8 4,10,2,0.7 " \
        "points of a $kind file, times a list"
done
printf 'h,e\n1,0.8\n2\n' > short.csv
printf 'h,q\n1,0.8\n' > unknown.csv
printf '{"h": 1}\n{"e": 0.8}\n' > other.jsonl
: > empty.csv
refused "short.csv:3: error: --points: 1 value for 2 names" sweep ball.lua --points short.csv
refused "unknown.csv:1: error: --points: the model has no parameter 'q'" sweep ball.lua --points unknown.csv
refused "other.jsonl:2: error: --points: there is no number 'h'" sweep ball.lua --points other.jsonl
refused "has no points" sweep ball.lua --points empty.csv
printf '{"h": 1}\n{"h"\n' > broken.jsonl
printf '{"h": 1}\n\n[2]\n' > list.jsonl
refused "broken.jsonl:2: error: not JSON" sweep ball.lua --points broken.jsonl
refused "list.jsonl:3: error: an object with names and values is needed" sweep ball.lua --points list.jsonl
printf 'h,e\n1,nan\n' > nan.csv
refused "nan.csv:2: error: --points: 'nan' is not a number" sweep ball.lua --points nan.csv
# As spreadsheets write it.
printf '\357\273\277h,e\r\n1,0.8\r\n2,0.7\r\n' > marked.csv
run "$saltus" sweep ball.lua --points marked.csv --csv -
expect_equal "$(cut -d, -f1-3 out.txt | tr '\n' ' ')" "point,h,e 1,1,0.8 2,2,0.7 " "a file of a spreadsheet"
refused "cannot read 'missing.csv'" sweep ball.lua --points missing.csv

# ---- bad input
# Files that cannot be written are found before anything is computed.
for kind in csv npz report; do
    refused "cannot write 'nowhere/x.${kind/report/html}'" sweep ball.lua --over h=1,2 --$kind nowhere/x.${kind/report/html}
    expect_equal "$(cat out.txt)" "" "--$kind: nothing was computed"
done
refused "cannot write '.': Is a directory" sweep ball.lua --over h=1,2 --csv .
refused "did you mean 'h'" sweep ball.lua --over hh=1
refused "'n' is a setting" sweep ball.lua --over n=1,2
refused "sweep over what" sweep ball.lua
refused "is no grid" sweep ball.lua --over h=1:2
refused "is no grid" sweep ball.lua --over h=1:2:0
refused "is no grid" sweep ball.lua --over h=1:2:2.5
refused "'x' in '1,x' is not a number" sweep ball.lua --over h=1,x
refused "is not a number" sweep ball.lua --over h=
refused "write NAME=FROM:TO:COUNT" sweep ball.lua --over h
refused "outside of its bounds" sweep ball.lua --over e=0:2:3
refused "'h' is given twice" sweep ball.lua --over h=1 --over h=2
refused "more than 100000000 points" sweep ball.lua --over h=1:2:20000 --over g=1:2:20000
refused "'1:2:1' is one value between two different ends" sweep ball.lua --over h=1:2:1
refused "has more than 100000000 points" sweep ball.lua --over h=1:2:1e300
refused "'h~normal(1,0)': the deviation must be positive" sweep ball.lua --over 'h~normal(1,0)' --sample lhs:4
refused "'h~uniform(2,1)': the second number must be the larger one" sweep ball.lua --over 'h~uniform(2,1)' --sample lhs:4
refused "write NAME~uniform(FROM,TO)" sweep ball.lua --over 'h~lhs:0'
refused "with one point or more" sweep ball.lua --over 'h~uniform(1,2)' --sample lhs:0
refused "more than 100000000 numbers" sweep ball.lua --over 'h~uniform(1,2)' --sample lhs:1000000000
refused "how many points" sweep ball.lua --over 'h~uniform(1,2)'
refused "there is no distribution" sweep ball.lua --over h=1 --sample lhs:10
refused "must be like" sweep ball.lua --over 'h~uniform(1,2)' --sample halton:10
for law in 'normal(1)' 'normal(1,2' 'gamma(1,2)' ''; do
    refused "NAME~uniform(FROM,TO)" sweep ball.lua --over "h~$law" --sample lhs:10
done
refused "are a database, FILE.db" sweep ball.lua --over h=1 -o table.csv
refused "name it with -o" sweep ball.lua --over h=1 --resume
refused "cannot open 'missing/x.db': No such file" sweep ball.lua --over h=1 -o missing/x.db
run "$saltus" sweep ball.lua --over h=1 --json --csv -
expect_status 1 "two want standard output"
expect_err "both write to standard output" "two write to standard output"
cp ball.lua text.db
refused "is not a database" sweep ball.lua --over h=1 -o text.db --resume
expect_same text.db ball.lua "it stays as it was"
cp ball.lua model.db
refused "is the model itself" sweep model.db --over h=1 -o model.db
mkdir folder.db
refused "is not a regular file" sweep ball.lua --over h=1 -o folder.db
sed 's/restitution = e/restitution = 0.9 * e/' ball.lua > softer.lua
cp first.db kept.db
same=(--over h=1:2:3 --over e=0.7,0.8 --gradients --final 'y,a*')
refused "another script" sweep softer.lua "${same[@]}" -o first.db --resume
refused "other options" sweep ball.lua "${same[@]}" --tol 1e-6 -o first.db --resume
refused "other values" sweep ball.lua "${same[@]}" --set g=1.6 -o first.db --resume
refused "options or settings" sweep ball.lua "${same[@]}" --set n=4 -o first.db --resume
refused "other parameters" sweep ball.lua --over h=1 --gradients --final 'y,a*' -o first.db --resume
refused "other results" sweep ball.lua --over h=1:2:3 --over e=0.7,0.8 --gradients -o first.db --resume
expect_same first.db kept.db "it stays as it was"

# ---- a full disk
run bash -c "ulimit -f 64; '$saltus' sweep ball.lua --over h=1:2:2000 --gradients -o full.db"
expect_status 1 "a full disk"
expect_err "--resume continues once there is room" "a full disk"
run "$saltus" sweep ball.lua --over h=1:2:2000 --gradients -o full.db --resume --csv full.csv
expect_status 0 "with room"
run "$saltus" sweep ball.lua --over h=1:2:2000 --gradients --csv room.csv
expect_same full.csv room.csv "with room"

# ---- interrupted
long_model_for 2 200 "$saltus" sweep long.lua --over w=3:4:300 --gradients --csv once.csv
run "$saltus" sweep long.lua --over w=3:4:300 --gradients --csv once.csv
env --default-signal=INT "$saltus" sweep long.lua --over w=3:4:300 --gradients -o stopped.db --csv stopped.csv \
    > out.txt 2> err.txt < /dev/null &
pid=$!
for ((i = 0; i < 200; i++)); do # until there is something in it
    [[ -s stopped.db ]] && break
    sleep 0.01
done
sleep 0.1
kill -INT $pid
wait $pid
status=$? err=$(cat err.txt) command_line="an interrupted sweep"
expect_status 130 "interrupted"
expect_err "of 300 points are done; --resume continues 'stopped.db'" "interrupted"
expect_same <(head -n 1 stopped.part.csv) <(head -n 1 once.csv) "what was done"
run "$saltus" sweep long.lua --over w=3:4:300 --gradients -o stopped.db --resume --csv stopped.csv
expect_status 0 "continued"
expect_same stopped.csv once.csv "continued, as in one go"

# ---- two processes at once, and a reader
for name in a b; do
    "$saltus" sweep long.lua --over w=3:4:300 --gradients -o shared.db --resume --csv $name.csv --json --threads 1 \
        > $name.json 2> $name.err &
done
wait
expect_equal "$(cat a.err b.err)" "" "two processes"
expect_same a.csv once.csv "the first of two"
expect_same b.csv once.csv "the second of two"
computed=$(($(sed -n 's/.*"computed": \([0-9]*\).*/\1/p' a.json) + $(sed -n 's/.*"computed": \([0-9]*\).*/\1/p' b.json)))
expect_equal "$computed" 300 "no point is written twice"

# ---- killed at random moments, again and again: nothing is lost, nothing is there twice
long_model 200
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
