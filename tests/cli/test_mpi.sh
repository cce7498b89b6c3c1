#!/usr/bin/env bash
# saltus-mpi: several processes that mpirun starts do one command, with the results of one.
. "$(dirname "$0")/common.sh" "$@"

skip() { # what is missing
    echo "skipped: $1"
    [[ -z ${CI:-} ]] || { echo "in CI nothing is skipped"; exit 1; }
    exit 77
}
mpi=$(dirname "$saltus")/saltus-mpi
if grep -q 'SALTUS_SANITIZE:BOOL=ON' "$(dirname "$saltus")/CMakeCache.txt" 2> /dev/null; then
    echo "skipped: sanitizers report what MPI itself does not free"
    exit 0
fi
[[ -x $mpi ]] || skip "there is no saltus-mpi: no MPI was found (scripts/install-deps --tests)"
command -v mpirun > /dev/null || skip "there is no mpirun"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
start() { mpirun --oversubscribe -n "$@"; }

claim
ldd "$saltus" | grep -qi libmpi && fail "the plain program needs MPI"

# ---- the same table, whatever the number of processes
grid=(--over h=1:2:40 --over e=0.3:0.9:10 --gradients --final y)
run "$saltus" sweep ball.lua "${grid[@]}" --csv one.csv --json
flatten out.txt | grep -v -e '^stats' -e '^database' > one.flat
for n in 1 2 4; do
    run start $n "$mpi" sweep ball.lua "${grid[@]}" -o $n.db --csv $n.csv --json
    expect_status 0 "$n processes"
    expect_no_err "$n processes"
    expect_same $n.csv one.csv "$n processes"
    flatten out.txt > flat
    expect_equal "$(value_at flat stats.computed)" 400 "all points, once"
    expect_same <(grep -v -e '^stats' -e '^database' flat) one.flat "statistics of $n processes"
done
# Threads in each of them; a table that is printed once.
run start 2 "$mpi" sweep ball.lua "${grid[@]}" --threads 2 --csv -
expect_same out.txt one.csv "two threads each"
# Nothing left to do, and something.
run start 4 "$mpi" sweep ball.lua --over h=1:3:79 --over e=0.3:0.9:10 --gradients --final y -o 4.db --resume --json
flatten out.txt > flat
expect_equal "$(value_at flat stats.computed) $(value_at flat points)" "390 790" "more points"
run start 4 "$mpi" sweep ball.lua "${grid[@]}" -o 2.db --resume --csv again.csv
expect_same again.csv one.csv "nothing left"

# ---- searches from many starts, profiles of a fit; steps of searches are in no process
without_times() { flatten "$1" | grep -v -e '^stats' -e '^history'; }
for words in "optimise $source_dir/models/bouncing_ball.lua --minimise int_v2 --over h0,v0 --starts 7" \
    "optimise $source_dir/models/bouncing_ball.lua --minimise int_y2 --over h0,v0 --sequences search --starts 5" \
    "fit $source_dir/models/fit_bounce.lua --profile"; do
    # shellcheck disable=SC2086
    run "$saltus" $words --json
    without_times out.txt > expected
    expected=$status
    # shellcheck disable=SC2086
    run start 4 "$mpi" $words --json
    expect_equal "$status" "$expected" "$words"
    expect_same <(without_times out.txt) expected "$words"
done

# ---- what is said
run "$mpi" sweep ball.lua --over h=1
expect_status 1 "without mpirun"
expect_err "start several processes: mpirun -n 4 saltus-mpi sweep" "without mpirun"
run "$mpi" --version
expect_status 0 "its version"
expect_equal "$(grep -cE '^processes  .*MPI|^processes  MPICH' out.txt)" 1 "which MPI it has"
run start 3 "$mpi" run ball.lua
expect_status 1 "a command of one process"
expect_err "use 'saltus run'" "a command of one process"
expect_equal "$(grep -c saltus: <<< "$err")" 1 "said once"
run start 3 "$mpi" sweep ball.lua --over hh=1
expect_status 1 "a mistake"
expect_equal "$(grep -c "did you mean 'h'" <<< "$err")" 1 "a mistake is said once"
run start 3 "$mpi" sweep ball.lua --over h=1 -o 1.db
expect_status 1 "a database that is there"
expect_err "continue it with --resume" "a database that is there"
run start 3 "$mpi" sweep - --over h=1
expect_err "only one process can read standard input" "standard input"
# A process that sees another model, or none.
mkdir first other
cp ball.lua first
sed 's/restitution = e/restitution = 0.9 * e/' ball.lua > other/ball.lua
run mpirun --oversubscribe -n 1 --wdir "$folder/first" "$mpi" sweep ball.lua --over h=1:2:9 : \
    -n 1 --wdir "$folder/other" "$mpi" sweep ball.lua --over h=1:2:9
expect_status 1 "another model"
expect_err "rank 1 on" "another model"
expect_err "all processes must see the same files" "another model"
rm other/ball.lua
run mpirun --oversubscribe -n 1 --wdir "$folder/first" "$mpi" sweep ball.lua --over h=1:2:9 : \
    -n 1 --wdir "$folder/other" "$mpi" sweep ball.lua --over h=1:2:9
expect_status 1 "no model"
expect_err "rank 1 on" "no model"
expect_err "cannot read 'ball.lua'" "no model"

# ---- a process that dies, and one that is asked to end: what was done is kept
grid=(--over w=3:4:1500 --gradients)
long_model_for 1 500 "$saltus" sweep long.lua --over w=3:4:150 --gradients --csv once.csv # a tenth of the points
run "$saltus" sweep long.lua "${grid[@]}" --csv once.csv
cat > count.py << 'PYTHON'
# How many results there are; with a number, waits until there are more.
import os, sqlite3, sys, time
def count():
    try:
        return sqlite3.connect("dies.db").execute("select count(*) from results").fetchone()[0]
    except sqlite3.Error:
        return 0
if len(sys.argv) > 1:
    while count() <= int(sys.argv[1]) and os.path.exists("/proc/" + sys.argv[2]):
        time.sleep(0.01)
print(count())
PYTHON
rows=0
for victim in 3 0 INT; do
    mpirun --oversubscribe -n 4 "$mpi" sweep long.lua "${grid[@]}" -o dies.db --resume > out.txt 2> err.txt < /dev/null &
    pid=$!
    python3 count.py $rows $pid > /dev/null
    if [[ $victim == INT ]]; then kill -INT $pid
    else kill -KILL "$(pgrep -P $pid -x saltus-mpi | sort -n | sed -n $((victim + 1))p)"; fi
    wait $pid
    status=$? err=$(cat err.txt) command_line="a sweep that loses $victim"
    claim
    ((status != 0)) || fail "$command_line: status 0"
    [[ $victim == 0 ]] || expect_err "of 1500 points are done; --resume continues 'dies.db'" "$victim ends"
    before=$rows
    rows=$(python3 count.py)
    claim
    ((rows > before && rows < 1500)) || fail "$command_line: $before rows, then $rows"
done
run start 4 "$mpi" sweep long.lua "${grid[@]}" -o dies.db --resume --csv dies.csv
expect_status 0 "continued"
expect_same dies.csv once.csv "continued, as in one go"

finish
