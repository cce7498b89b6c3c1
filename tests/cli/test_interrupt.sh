#!/usr/bin/env bash
# Ctrl-C: exit status 130, and the results so far.
. "$(dirname "$0")/common.sh" "$@"

long_model 1e7

# A background job of a script ignores SIGINT, and so does everything started by a process that ignores it.
start() { # words
    env --default-signal=INT "$saltus" "$@" > out.txt 2> err.txt < /dev/null &
    pid=$!
}
# The watchdog is killed with all that it has started.
set -m
for words in "run long.lua --json" "gradient long.lua --json"; do
    # shellcheck disable=SC2086
    start $words
    sleep 1
    kill -INT $pid
    wait $pid
    status=$?
    command_line=$words err=$(cat err.txt)
    expect_status 130 "interrupted"
    flatten out.txt > flat
    expect_equal "$(value_at flat end)" "interrupted" "end of $words"
    expect_equal "$(value_at flat error.status)" "ERR_INTERRUPTED" "error of $words"
    claim
    [[ -n $(value_at flat events.0.time) ]] || fail "events so far of $words"
done

# Seconds of the processor say how far the work is, also where others work beside it.
work_for() { # seconds
    local -i ticks
    ticks=$(($1 * $(getconf CLK_TCK)))
    while [[ -r /proc/$pid/stat ]] && (($(cut -d' ' -f14 /proc/$pid/stat) < ticks)); do sleep 0.05; done
}

# ---- what takes long is a gradient, or a check
interrupt() { # seconds, words
    local seconds=$1
    shift
    command_line="$*"
    start "$@"
    (sleep 120 && kill -KILL $pid) 2> /dev/null &
    dog=$!
    work_for "$seconds"
    kill -INT $pid
    wait $pid
    status=$?
    kill -KILL -- -$dog
    out=$(cat out.txt) err=$(cat err.txt)
}
{
    # Two hundred costs are thirteen walks with long sums.
    for method in discrete adjoint; do
        interrupt 2 gradient long.lua --set finals=200 --until 6000 --method $method
        expect_status 130 "interrupted in a gradient by $method"
        expect_err "of a gradient" "interrupted in a gradient by $method"
        expect_out "square   2999.960" "the costs are there"
    done
    # One of two methods was done.
    interrupt 2 gradient long.lua --set finals=200 --until 6000 --method direct,discrete
    expect_status 130 "interrupted in the second method"
    expect_out "square  w " "the first method is there"
    claim
    [[ $out != *"same digits"* ]] || fail "nothing was compared" "$out"
    interrupt 1 check long.lua --until 1e6
    expect_status 130 "interrupted in the simulation of a check"
    # The discrete adjoint takes about fifteen seconds, on any machine.
    long_model_for 15 1000 "$saltus" gradient long.lua --set finals=200 --method discrete
    interrupt 8 check long.lua --set finals=200 --threads 2
    expect_status 130 "interrupted in the gradients of a check"
    expect_err "interrupted while the gradients were computed" "interrupted in a check"
    # While one thread was at the discrete adjoint, the other did these two.
    expect_out "tangent = direct" "what was done is compared"
    claim
    [[ $out != *"discrete ="* && $out != *FAIL* ]] || fail "only what was done is compared" "$out"

    # ---- the motion so far is written
    long_model 1e7
    interrupt 1 run long.lua --every 100 -o motion.csv
    expect_status 130 "interrupted, with -o"
    expect_out "(interrupted)" "the end of the motion"
    expect_equal "$(head -n 1 motion.part.csv)" "t,mode,x,dot(x),ddot(x),square" "the header"
    expect_near "$(tail -n 1 motion.part.csv | cut -d, -f1)" "$(sed -n 's/^saltus: .* t = //p' err.txt)" 0.01 \
        "the last row is where it was stopped"
} 2> /dev/null

finish
