#!/usr/bin/env bash
# What a terminal would obey (control characters, marks that turn the direction of writing) does not
# reach it from a model; letters of all languages do. JSON has every name as it is.
. "$(dirname "$0")/common.sh" "$@"

# Escape sequences, the C1 control CSI, a bidirectional override, a carriage return, in every text.
bad='\27[2J\27]0;pwned\7\u{9b}31m\u{202e}\rü日'
cat > odd.lua << LUA
model("title $bad")
print("print $bad")
local p = param("p$bad", 1, {unit = "u$bad", doc = "d$bad"})
local s = setting("s$bad", "v$bad")
local a, b = mode("a$bad"), mode("b$bad")
local y = coordinate("y$bad", {start = p, unit = "$bad", doc = "$bad"})
local x = coordinate("x$bad", {start = p})
local n = memory("n$bad", 0)
mass(y, 1) mass(x, 1) force(y, -9.81)
constraint("c$bad", x - p)
event("f$bad", {when = y, direction = "falling", restitution = 0.5, from = a, to = b})
output("o$bad", abs(y - 0.3))
cost("cost$bad", {final = y, integral = x})
cost("other$bad", {final = x * y})
horizon(0, p * 0.7)
LUA
printf '%s\n' 'model "m"' "error('failed $bad')" > error.lua
sed 's/^horizon.*/horizon(0, 5)/; s/, from = a, to = b//' odd.lua > zeno.lua
printf 'model "t"\nlocal x = coordinate("x") mass(x, 1) force(x, sqrt(-1 - x)) event("e%s", {when = x}) horizon(0, 1)' "$bad" > singular.lua
odd_file=$'odd\033[2Jfile.lua'
cp odd.lua "$odd_file"

# Bytes that a terminal would obey: C0 but tab and newline, DEL, C1 in UTF-8, the override.
obeyed() { LC_ALL=C grep -alP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$@"; }
clean() { # status, words
    local expected=$1
    shift
    run "$saltus" "$@"
    expect_status "$expected" "$(printf '%q ' "$@")"
    claim
    [[ -z $(obeyed out.txt err.txt) ]] || fail "$(printf '%q ' "$@"): $(obeyed out.txt err.txt)" "$(cat -v out.txt err.txt | grep -F -e '^' -e 'M-B' | head -n 5)"
}

clean 0 show odd.lua
expect_out "title ?[2J?]0;pwned??31m" "the title"
expect_out "ü日" "letters stay"
expect_err "print ?[2J" "what the script prints"
clean 0 show odd.lua --verbose
clean 0 run odd.lua --jumps --verbose
expect_out "jump matrix of event 1" "headings are among what is looked at"
clean 0 gradient odd.lua --method direct,discrete,fd --event-times --verbose
clean 0 check odd.lua
expect_out "trust" "the verdict is among what is looked at"
clean 0 check odd.lua --verbose
clean 0 dump odd.lua
clean 0 run odd.lua "$odd_file"
clean 2 show error.lua
expect_err "failed ?[2J" "an error of the script"
clean 3 run zeno.lua
clean 3 run singular.lua
clean 0 compile odd.lua -o $'c\033[2J'
clean 0 run odd.lua -o $'o\033[2J.csv'
expect_out "rows written to o?[2J.csv" "the name of a file"
clean 0 show "$odd_file"
clean 1 show $'nothing\033[2J.lua'
clean 1 run odd.lua --set $'q\033[2J=1'
clean 1 run odd.lua $'--q\033[2J'
clean 1 $'\033[2J'
clean 1 gradient odd.lua --wrt $'q\033[2J'
clean 0 new $'\302\2332J'
clean 1 new $'\302\2332J'
run "$saltus" report odd.lua --quiet -o page.html
if [[ $err != *"built without the report"* ]]; then
    expect_equal "$(grep -c '<title>title ?\[2J' page.html)" 1 "the title of a page"
    clean 0 report odd.lua -o $'p\033[2J.html'
fi

# ---- a terminal gets CSV in the same way, a file gets the name
if command -v script > /dev/null; then
    SHELL=/bin/bash script -qec "'$saltus' run odd.lua -o - --quiet" /dev/null < /dev/null | tr -d '\r' > out.txt
    expect_equal "$(grep -c '^t,mode,y?\[2J' out.txt)" 1 "CSV on a terminal"
    claim
    [[ -z $(obeyed out.txt) ]] || fail "CSV on a terminal" "$(cat -v out.txt | head -n 3)"
fi
run "$saltus" run odd.lua -o - --quiet
claim
head -n 1 out.txt | grep -qF $'y\033[2J' || fail "CSV in a file has the name"
run "$saltus" show odd.lua --json
expect_out '"title \u001B[2J' "JSON has the name"

finish
