#!/usr/bin/env bash
# include: parts of a model in files beside it, their names, messages with their lines; nothing else is read.
. "$(dirname "$0")/common.sh" "$@"

cat > leg.lua << 'EOF'
local side, length = ...
local l, k = param("length", length, {lower = 0}), param("k", 10)
local free = mode("free")
local q = coordinate("q", {start = l})
mass(q, 1)
potential(k * (q - side)^2 / 2)
cost("hits", {})
event("mid", {when = q - side, direction = "any", charge = {hits = 1}})
rod {name = "rod", ground_point(0, 0), include("foot.lua", "foot", q), length = 1}
output("pull", multiplier("rod"))
return q
EOF
cat > foot.lua << 'EOF'
#!a first line that is not Lua
local P = point("P", {x = 1})
mass(P, 1)
return P
EOF
cat > legs.lua << 'EOF'
model "legs"
local a, b = include("leg.lua", "left", 1, 2), include("leg.lua", "right", -1, 3)
cost("sum", {final = a + b})
horizon(0, 0.5)
EOF

run "$saltus" run legs.lua --set left.k=40 --json
expect_status 0 "include"
flatten out.txt > legs.flat
expect_equal "$(value_at legs.flat parameters.left.k)" "40.0" "a parameter of a part"
expect_equal "$(value_at legs.flat parameters.right.length)" "3.0" "values given to a file"
expect_equal "$(value_at legs.flat costs.left.hits.value)" "1.0" "charges of a part"
# q = 1 + cos(sqrt(40) t), and -1 + 4 cos(sqrt(10) t)
expect_near "$(value_at legs.flat costs.sum.value)" \
    "$(awk 'BEGIN { printf "%.15g", cos(sqrt(40) * 0.5) + 4 * cos(sqrt(10) * 0.5) }')" 1e-7 "its motion"
expect_equal "$(value_at legs.flat events.0.name)" "left.mid" "events of a part"
run "$saltus" show legs.lua
expect_out "left.foot.P.x" "prefixes of files in files"
expect_out "left.free" "modes"

fails() { # TEXT-OF-part.lua MESSAGE
    printf "$1" > part.lua
    run "$saltus" run whole.lua
    expect_status 2 "$2"
    expect_err "$2" "part"
}
printf 'local x = 1\nlocal f = include "part.lua"\nif f then f(x) end\n' > whole.lua
fails 'local x = 1\nfoo()\n' "part.lua:2: error: 'foo' is not defined"
fails 'local x = \n' "part.lua:2: error: unexpected symbol"
fails '\n\ncoordinate("x", {start = t})\n' "part.lua:3: error: start= may not contain the time t"
fails 'while true do end\n' "part.lua:1: error: the script takes too long"
fails 'include "part.lua"\n' "part.lua:1: error: include 'part.lua': the file includes itself"
fails 'include "whole.lua"\n' "part.lua:1: error: include 'whole.lua': the file includes itself"
fails '\nreturn function(y) return y.q end\n' "part.lua:2: error: attempt to index"
fails 'include "../part.lua"\n' "only files beside the model"
fails 'include "/etc/passwd"\n' "only files beside the model"
fails 'include ".hidden"\n' "only files beside the model"
fails 'include "none.lua"\n' "No such file"
fails '\033Lua' "this is compiled Lua"
fails 'include(1)\n' "the name of the file must be a text"
fails 'include("leg.lua", 1)\n' "the prefix must be a text"
ln -s leg.lua link.lua
fails 'include "link.lua"\n' "it is a link"
run bash -c "echo 'include \"leg.lua\"' | '$saltus' run -"
expect_err "this model is not in a folder" "a model that is no file"

finish
