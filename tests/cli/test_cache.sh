#!/usr/bin/env bash
# saltus cache: what compiled code is kept; and Ctrl-C while a compiler is at work.
. "$(dirname "$0")/common.sh" "$@"
export XDG_CACHE_HOME=$PWD/some/where
unset CC
kept=$XDG_CACHE_HOME/saltus

# ---- nothing yet
run "$saltus" cache
expect_status 0 "nothing yet"
expect_equal "$out" "no compiled code in $kept" "nothing yet"
run "$saltus" cache --clear
expect_status 0 "nothing to clear"
claim
[[ ! -e some ]] || fail "looking makes no folder"

# ---- what is kept
"$saltus" run ball.lua --backend native --quiet
claim
[[ -d $kept ]] || fail "the folder and those above it are made"
files=$(find "$kept" -type f | wc -l)
bytes=$(cat "$kept"/* | wc -c)
run "$saltus" cache
expect_status 0 "a list"
expect_out "model" "its columns"
expect_equal "$(grep -c '^ *ball ' out.txt)" "$files" "a line for each file"
expect_out "$files files, $bytes bytes, in $kept" "the total"
run "$saltus" cache --json
flatten out.txt > flat
expect_equal "$(top_keys out.txt)" "saltus folder bytes entries" "keys"
expect_equal "$(value_at flat bytes)" "$bytes" "bytes"
expect_equal "$(value_at flat folder)" "$kept" "the folder"
expect_equal "$(value_at flat entries.0.model)" "ball" "the model"
claim
[[ -f $kept/$(value_at flat entries.1.file) ]] || fail "the file"
expect_near "$(value_at flat entries.0.age)" 0 60 "its age"

# Of an earlier version, or not ours to remove.
touch -d '3 days ago' "$kept/0123456789abcdef0123456789abcdef.so"
touch "$kept/notes.txt"
run "$saltus" cache
expect_out "3 d ago" "the oldest one"
expect_equal "$(sed -n '/^ *?/p' out.txt | wc -l)" 1 "a model that is not known"

# ---- clearing
run "$saltus" cache --clear
expect_status 0 "cleared"
expect_out "removed: $((files + 1)) files, $bytes bytes, in $kept" "what was removed"
expect_equal "$(ls "$kept")" "notes.txt" "other files stay"
run "$saltus" cache --json
flatten out.txt > flat
expect_equal "$(value_at flat bytes)" 0 "all of it is gone"
"$saltus" run ball.lua --backend native --quiet
run "$saltus" cache --clear --json
expect_equal "$(top_keys out.txt)" "saltus folder bytes removed" "keys of --clear"
expect_equal "$(ls "$kept")" "notes.txt" "cleared again"
"$saltus" run ball.lua --backend native --quiet
run "$saltus" cache --clear --quiet
expect_no_out "--quiet"
expect_equal "$(ls "$kept")" "notes.txt" "cleared quietly"

# ---- wrong usage, and a folder that is not ours alone
refused "unexpected argument 'ball.lua': 'saltus cache' takes none" cache ball.lua
refused "--clear is not an option of 'run' (but of: cache)" run ball.lua --clear
chmod 777 "$kept"
refused "others may write to '$kept', or we may not" cache --clear
run "$saltus" cache --json
expect_status 1 "a folder of others, as JSON"
expect_out '"status": "ERR_FILE"' "a folder of others, as JSON"
chmod 700 "$kept"

# ---- Ctrl-C while a compiler is at work
cat > hang << 'END'
#!/bin/sh
sleep 1000 &
echo $$ $! >> pids
wait
END
chmod +x hang
set -m
CC=$PWD/hang env --default-signal=INT "$saltus" run ball.lua --backend native > out.txt 2> err.txt < /dev/null &
pid=$!
for ((i = 0; i < 1000; i++)); do
    [[ -s pids ]] && break
    sleep 0.02
done
sleep 0.2
kill -INT $pid
SECONDS=0
wait $pid
status=$?
command_line="run, with a compiler that hangs" err=$(cat err.txt)
expect_status 130 "interrupted while compiling"
expect_err "interrupted while the model was compiled" "what was interrupted"
claim
((SECONDS < 10)) || fail "it ended after $SECONDS s"
claim
# shellcheck disable=SC2046 # numbers
ps -o pid=,stat= -p "$(tr -s ' \n' ',,' < pids | sed 's/,$//')" | grep -v Z > left.txt
[[ ! -s left.txt ]] || fail "compilers that go on" "$(cat left.txt)"
expect_equal "$(ls "$kept")" "notes.txt" "nothing is left"

finish
