#!/usr/bin/env bash
# report --watch: the page follows what is saved; its server is for this machine only. report --open.
. "$(dirname "$0")/common.sh" "$@"

run "$saltus" report ball.lua -o page.html
[[ $err == *"built without"* ]] && echo "skipped: saltus was built without the report" && exit 0

# ---- --open
cat > browser << 'SH'
#!/bin/sh
echo "$1" > opened.new && mv opened.new opened
SH
chmod +x browser
wait_for() { # a command that succeeds some time
    claim
    for ((i = 0; i < 300; i++)); do
        "${@:2}" && return
        sleep 0.1
    done
    fail "$1"
}
BROWSER=./browser run "$saltus" report ball.lua --open -o page.html
expect_status 0 "--open"
wait_for "the page is opened" test -s opened
expect_equal "$(cat opened)" "page.html" "the page is opened"
BROWSER=./nowhere run "$saltus" report ball.lua --open -o page.html
expect_status 1 "no browser"
expect_err "cannot open 'page.html' with './nowhere': No such file or directory" "no browser"

# ---- what cannot be watched
refused "standard input (-) cannot be watched" report - --watch
refused "give -o a file" report ball.lua --watch -o -

# ---- the server
rm opened
echo 'return 2' > length.lua
sed -i 's/^horizon.*/horizon(0, include "length.lua")/' ball.lua
BROWSER=./browser "$saltus" report ball.lua --watch --open -o page.html > watch.out 2> watch.err &
watcher=$!
trap 'kill $watcher 2> /dev/null; rm -rf "$folder"' EXIT
wait_for "the address is opened" test -s opened
address=$(cat opened)
port=${address//[!0-9]/}
port=${port#127001}
expect_equal "$address" "http://127.0.0.1:$port/" "the address"
request() { # method, path, host: the answer
    exec 3<> "/dev/tcp/127.0.0.1/$port"
    printf '%s %s HTTP/1.1\r\nHost: %s\r\n\r\n' "$1" "$2" "$3" >&3
    tr -d '\0' <&3
    exec 3>&-
}
status_of() { request "$@" | head -n 1 | cut -d ' ' -f 2; }
here=127.0.0.1:$port
expect_equal "$(status_of GET / "$here")" 200 "the page"
expect_equal "$(status_of GET / "localhost:$port")" 200 "by its other name"
expect_equal "$(status_of GET / example.com)" 403 "a name of another site that leads here"
expect_equal "$(status_of GET / "$here.example.com")" 403 "a name that begins like ours"
expect_equal "$(status_of GET /page.html "$here")" 404 "no files"
expect_equal "$(status_of GET /../ball.lua "$here")" 404 "no files"
expect_equal "$(status_of POST / "$here")" 405 "nothing can be sent"
expect_equal "$(request HEAD / "$here" | grep -c '<html')" 0 "HEAD has no body"
claim
long=$(status_of GET "/$(head -c 9000 /dev/zero | tr '\0' x)" "$here")
[[ -z $long || $long == 431 ]] || fail "a request that is too long" "$long"
# Others cannot reach it.
claim
other=$(hostname -I 2> /dev/null | cut -d ' ' -f 1)
[[ -n $other ]] && (exec 3<> "/dev/tcp/$other/$port") 2> /dev/null && fail "it answers on $other"
# Many that say nothing do not keep others out.
exec {first}<> "/dev/tcp/127.0.0.1/$port"
for ((i = 0; i < 40; i++)); do exec {silent}<> "/dev/tcp/127.0.0.1/$port"; done
expect_equal "$(status_of GET / "$here")" 200 "forty that say nothing"

# ---- events
coproc events { exec 3<> "/dev/tcp/127.0.0.1/$port" && printf 'GET /events HTTP/1.1\r\nHost: %s\r\n\r\n' "$here" >&3 && cat <&3 > events.txt; }
# shellcheck disable=SC2154 # of coproc
trap 'kill $watcher $events_PID 2> /dev/null; rm -rf "$folder"' EXIT
count() { grep -c "^event: $1" events.txt; }
made() { (($(count page) >= $1)); }
wait_for "the first page is told" made 1
request GET / "$here" > first.txt
expect_equal "$(grep -c 'EventSource("/events")' first.txt)" 1 "the served page listens"
expect_equal "$(grep -c 'EventSource' page.html)" 0 "the file does not"
expect_equal "$(grep -o "connect-src[^;]*" first.txt | head -n 1)" "connect-src 'self'" "it may"
pages=$(count page)
echo 'return 1.5' > length.lua # an included file
wait_for "an included file is followed" made $((pages + 1))
claim
grep -q '1.5' page.html || fail "the file is written, too"
sed 's/horizon/horizn/' ball.lua > new.lua && mv new.lua ball.lua # as editors do
is_wrong() { (($(count wrong) >= 1)); }
wait_for "a mistake is told" is_wrong
expect_equal "$(grep -A 3 'event: wrong' events.txt | sed -n 2p | tr -d '\r')" \
    "data: ball.lua:15: error: 'horizn' is not defined, did you mean 'horizon'?" "a mistake is told"
expect_equal "$(status_of GET / "$here")" 200 "the last page is still there"
pages=$(count page)
sed -i 's/horizn/horizon/' ball.lua
wait_for "it recovers" made $((pages + 1))

# ---- the end
kill -TERM $watcher
wait $watcher
expect_equal $? 0 "it ends cleanly"
expect_equal "$(find . -name '.saltus*')" "" "nothing is left behind"
claim
(exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null && fail "the server is still there"

finish
