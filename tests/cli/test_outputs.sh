#!/usr/bin/env bash
# Files that the program writes: complete, or as they were before.
. "$(dirname "$0")/common.sh" "$@"

long_model 1e7
cat > fails.lua << 'LUA'
model "fails at once"
local x = coordinate("x")
mass(x, 1)
force(x, sqrt(-1 - x * x))
cost("c", {final = x})
horizon(0, 1)
LUA
sed 's/horizon(0, 2)/horizon(0, 10)/' ball.lua > zeno.lua

older() { printf 'precious\n' > "$1"; }
expect_older() { # file, what
    claim
    [[ $(cat "$1" 2>&1) == precious ]] || fail "$2: the older $1 is gone" "$(head -c 200 "$1" 2>&1)"
}
expect_rows() { # file, what
    claim
    [[ $(wc -l < "$1") -gt 500 ]] || fail "$2: $1 is not complete" "$(head -c 200 "$1" 2>&1)"
}
expect_missing() { # file, what
    claim
    [[ ! -e $1 ]] || fail "$2: there is a $1" "$(ls -la)"
}
expect_tidy() { # what
    claim
    [[ -z $(find . -name '.saltus-*') ]] || fail "$1: a temporary file is left" "$(find . -name '.saltus-*')"
}

# ---- what succeeds takes the place of the older file, with its permissions
older motion.csv
chmod 640 motion.csv
run "$saltus" run ball.lua -o motion.csv
expect_status 0 "-o over an older file"
expect_out "rows written to motion.csv" "-o over an older file"
expect_rows motion.csv "-o over an older file"
expect_equal "$(stat -c %a motion.csv)" 640 "permissions stay"
(umask 027 && "$saltus" run ball.lua -o new.csv --quiet)
expect_equal "$(stat -c %a new.csv)" 640 "permissions of a new file"
mkdir far
older far/target.csv
ln -s target.csv far/second.csv
ln -s far/second.csv link.csv
run "$saltus" run ball.lua -o link.csv
claim
[[ -L link.csv && -L far/second.csv ]] || fail "a link stays a link"
expect_rows far/target.csv "the target of a link"
ln -s far/nothing.csv dangling.csv
run "$saltus" run ball.lua -o dangling.csv
expect_rows far/nothing.csv "the target of a link, not there before"
long_name=$(printf 'n%.0s' {1..251}).csv
run "$saltus" run ball.lua -o "$long_name"
expect_status 0 "a name as long as names can be"
expect_tidy "success"

# ---- what fails leaves the older file; what there is has a name that says so
older a.csv
run "$saltus" run fails.lua -o a.csv
expect_status 3 "a run that fails at once"
expect_older a.csv "a run that fails at once"
expect_missing a.part.csv "a run that fails at once"
run "$saltus" run zeno.lua -o a.csv
expect_status 3 "a run that fails later"
expect_older a.csv "a run that fails later"
expect_out "rows written to a.part.csv" "a run that fails later"
expect_rows a.part.csv "a run that fails later"
older a.json
run "$saltus" run zeno.lua -o ./a.json
expect_older a.json "JSON of a run that fails"
expect_equal "$(grep -c '"end":"zeno"' a.part.json)" 1 "JSON of a run that fails"
run "$saltus" run ball.lua --until -1 -o fresh.csv
expect_missing fresh.csv "wrong usage makes no file"
older a.csv
run "$saltus" run ball.lua --set nothing=1 -o a.csv
expect_older a.csv "a wrong name"
run "$saltus" gradient zeno.lua -o a.csv
expect_older a.csv "a gradient that fails"
expect_tidy "failures"

# ---- an output that is an input
cp ball.lua plain
run "$saltus" run plain -o plain
expect_status 1 "the model as output"
expect_err "'plain' is the model itself" "the model as output"
expect_same plain ball.lua "the model as output"
echo '{"h": 2}' > best.json
ln -s best.json again.json
for name in best.json ./best.json again.json; do
    run "$saltus" gradient ball.lua --params best.json -o $name
    expect_status 1 "--params as output, $name"
    expect_err "is the file of --params" "--params as output, $name"
    expect_equal "$(cat best.json)" '{"h": 2}' "--params as output, $name"
done
mkdir same
cp ball.lua same/kernels.c
run "$saltus" compile same/kernels.c -o same
expect_status 1 "the model among what is compiled"
expect_same same/kernels.c ball.lua "the model among what is compiled"
expect_equal "$(ls -A same)" kernels.c "the model among what is compiled"

# ---- things that are no regular files are written directly
mkfifo pipe.csv
timeout 20 cat pipe.csv > piped.csv &
run "$saltus" run ball.lua -o pipe.csv
wait
expect_rows piped.csv "-o to a pipe"
claim
[[ -p pipe.csv ]] || fail "the pipe is still one"
run "$saltus" run ball.lua -o /dev/stdout
expect_equal "$(head -n 1 out.txt | cut -c 1-9)" "t,mode,y," "-o /dev/stdout is -o -"
expect_rows out.txt "-o /dev/stdout into a file"
"$saltus" run ball.lua -o both.csv > both.csv
expect_rows both.csv "-o to the file that is standard output"
run "$saltus" run ball.lua -o /dev/null
expect_status 0 "-o /dev/null"
run "$saltus" models bouncing_ball -o /dev/stdout --quiet
expect_status 0 "models -o /dev/stdout"
expect_out 'model "bouncing ball"' "models -o /dev/stdout"

# ---- no more room: a message, and the older files as they were
limited() { # words
    run bash -c 'ulimit -f 1; "$@"' limited "$saltus" "$@"
}
older a.csv
older a.json
limited run ball.lua -o a.csv
expect_status 1 "no room for CSV"
expect_err "cannot write 'a.csv': File too large" "no room for CSV"
expect_older a.csv "no room for CSV"
limited run ball.lua -o a.json
expect_status 1 "no room for JSON"
expect_older a.json "no room for JSON"
for words in "new swing" "models five_bar -o swing.lua"; do
    # shellcheck disable=SC2086
    limited $words
    expect_status 1 "no room: $words"
    expect_err "cannot write 'swing.lua': File too large" "no room: $words"
    expect_missing swing.lua "no room: $words"
done
mkdir kernels
older kernels/kernels.h
older kernels/kernels.c
limited compile ball.lua -o kernels
expect_status 1 "no room for C"
expect_older kernels/kernels.h "no room for C"
expect_older kernels/kernels.c "no room for C"
expect_equal "$(ls -A kernels)" "$(printf 'kernels.c\nkernels.h')" "no room for C"
limited compile ball.lua -o fresh
expect_missing fresh "no room for C in a new folder"
run "$saltus" compile ball.lua -o kernels
expect_status 0 "C over older files"
expect_equal "$(grep -c precious kernels/*.[ch])" "$(printf 'kernels/%s.%s:0\n' kernels c kernels h main c)" \
    "C over older files"
expect_tidy "no room"
if [[ $(id -u) != 0 ]]; then
    older only.csv
    chmod 444 only.csv
    run "$saltus" run ball.lua -o only.csv
    expect_status 1 "a file that may not be written"
    expect_older only.csv "a file that may not be written"
fi

# ---- pages
older page.html
run "$saltus" report ball.lua -o page.html
if [[ $err != *"built without the report"* ]]; then
    expect_status 1 "a page of somebody else"
    expect_err "'page.html' is there already, and no report of saltus" "a page of somebody else"
    expect_older page.html "a page of somebody else"
    run "$saltus" report ball.lua -o page.html --force
    expect_status 0 "--force"
    run "$saltus" report ball.lua -o page.html
    expect_status 0 "a page of ours"
    : > page.html
    run "$saltus" report ball.lua -o page.html
    expect_status 0 "an empty page"
    cp page.html before.html
    run "$saltus" report zeno.lua -o page.html --json
    expect_same page.html before.html "a report of a run that fails"
    flatten out.txt > flat
    expect_equal "$(value_at flat report)" "page.part.html" "a report of a run that fails"
    older page.part.html
    run "$saltus" report zeno.lua -o page.html
    expect_older page.part.html "a partial page of somebody else"
    expect_err "'page.part.html' is there already" "a partial page of somebody else"
fi
expect_tidy "pages"

# ---- standard streams that are closed
for streams in '>&-' '<&- >&-' '>&- 2>&-' '<&- 2>&-' '<&- >&- 2>&-'; do
    run bash -c "\"\$1\" run long.lua --until 300 --verbose -o closed.csv $streams" closed "$saltus"
    claim
    head -n 1 closed.csv | grep -q '^t,mode,x,' || fail "closed $streams: tables in the file" "$(head -n 3 closed.csv)"
    expect_equal "$(grep -c energy closed.csv)" 0 "closed $streams: tables in the file"
    expect_rows closed.csv "closed $streams"
done
run bash -c '"$1" run ball.lua >&-' closed "$saltus"
expect_status 1 "standard output is closed"
expect_err "cannot write to standard output" "standard output is closed"

# ---- ended from outside
start() { # words
    env --default-signal=INT,TERM,HUP "$saltus" "$@" > out.txt 2> err.txt < /dev/null &
    pid=$!
}
# Until the output is open and the motion has begun: half a second of the processor.
wait_for_motion() {
    local -i ticks
    ticks=$(($(getconf CLK_TCK) / 2))
    while [[ -r /proc/$pid/stat ]] && (($(cut -d' ' -f14 /proc/$pid/stat) < ticks)); do sleep 0.05; done
}
{
    for signal in INT TERM HUP; do
        older a.csv
        rm -f a.part.csv
        start run long.lua -o a.csv
        wait_for_motion
        kill -$signal $pid
        wait $pid
        status=$? command_line="run, SIG$signal" err=$(cat err.txt)
        expect_status 130 "SIG$signal"
        expect_older a.csv "SIG$signal"
        expect_rows a.part.csv "SIG$signal"
        expect_tidy "SIG$signal"
    done
    older a.csv
    start run long.lua -o a.csv
    wait_for_motion
    kill -KILL $pid
    wait $pid
    expect_older a.csv "SIGKILL"
    rm -f .saltus-*
    # Two signals at once: the second one ends the program, which leaves nothing behind.
    rm -f a.part.csv
    start run long.lua -o a.csv
    wait_for_motion
    kill -STOP $pid
    kill -HUP $pid
    kill -TERM $pid
    kill -CONT $pid
    wait $pid
    status=$?
    claim
    ((status == 129 || status == 143)) || fail "two signals: exit status $status"
    expect_older a.csv "two signals"
    expect_missing a.part.csv "two signals"
    expect_tidy "two signals"
    start check long.lua --until 1e6
    sleep 0.2
    kill -TERM $pid
    wait $pid
    status=$? command_line="check, SIGTERM" err=$(cat err.txt)
    expect_status 130 "SIGTERM in a check"
    # A reader that does not read keeps the program writing: the second signal ends it.
    mkfifo slow
    sleep 30 > /dev/null < slow &
    reader=$!
    env --default-signal=TERM "$saltus" run ball.lua --verbose --every 1e-4 -o slow 2> err.txt > /dev/null &
    pid=$!
    sleep 1
    kill -TERM $pid
    sleep 0.2
    kill -TERM $pid
    wait $pid
    expect_equal $? 143 "the second SIGTERM"
    kill $reader
    wait $reader
} 2> /dev/null
expect_tidy "signals"
# nohup: who ignores SIGHUP goes on.
bash -c 'trap "" HUP; "$1" run long.lua --until 30000 --json > out.txt 2> err.txt & sleep 0.1; kill -HUP $!; wait $!' nohup "$saltus"
expect_equal $? 0 "SIGHUP is ignored under nohup"

finish
