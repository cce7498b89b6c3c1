#!/bin/bash
# saltus check: contacts that find their modes keep their law, in every model that has some.
. "$(dirname "$0")/common.sh" "$@"

for model in "$source_dir"/tests/contact/models/*.lua; do
    for tolerance in 1e-4 1e-7 1e-10; do
        name="$(basename "$model") at $tolerance"
        run "$saltus" check "$model" --tol "$tolerance"
        expect_status 0 "check $name"
        expect_out "none missed" "check $name"
        expect_out "conditions of contacts hold" "check $name"
    done
done

# ---- the same bounces at all tolerances, and those that are left out
cat > bounces.lua << 'END'
local h, u, mu, e = param("h", 0.4), param("u", 6), param("mu", 0.3), param("e", 0.6)
local x, y = coordinate("x", {speed = u}), coordinate("y", {start = h})
mass(x, 2)
mass(y, 2)
force(y, -20)
contact {gap = y, slip = dot(x), friction = mu, restitution = e, name = "floor"}
cost("x", {final = x})
cost("area", {integral = y})
horizon(0, 5)
END
verdict() { grep "^ *$1 " out.txt | grep -o 'pass\|FAIL\|info'; }
for tolerance in 1e-4 1e-9 1e-11; do
    run "$saltus" check bounces.lua --tol "$tolerance"
    expect_status 0 "bounces at $tolerance"
    expect_equal "$(verdict 'bounces left out')" "pass" "those left out at $tolerance"
    expect_equal "$(verdict 'the same events')" "pass" "the same bounces at $tolerance"
    expect_out "slope of the remainder" "the Taylor test at $tolerance"
done
run "$saltus" check bounces.lua --rest-speed 0.5
expect_status 4 "too many bounces left out"
expect_equal "$(verdict 'bounces left out')" "FAIL" "they are named"

# ---- a box that bounces on its two corners in an order that does not repeat: however slow the last touch is, those
# left out change derivatives. With a last touch a hundred times slower the largest entry is 0.97274684713.
cat > chaos.lua << 'END'
local a, h, e = param("a", 0.296), param("h", 0.196), param("e", 0.541)
local spin, tilt = param("spin", 1.993), param("tilt", -0.183)
local y, th = coordinate("y", {start = 0.376 + h}), coordinate("th", {start = tilt, speed = spin})
mass(y, 1)
mass(th, (a ^ 2 + h ^ 2) / 3)
force(y, -9.81)
contact {gap = y - a * sin(th) - h * cos(th), restitution = e, rest = true, name = "left"}
contact {gap = y + a * sin(th) - h * cos(th), restitution = e, rest = true, name = "right"}
cost("height", {integral = y})
horizon(0, 0.892)
END
run "$saltus" check chaos.lua
expect_status 0 "a box bounces on its corners"
expect_out "trust 5 digits of the gradient of height" "what is left out counts"

# ---- bounces and slips below the tolerance: none is lost, and corners that lie flat stick together
box() { run "$saltus" check "$source_dir/models/box_to_rest.lua" --set e=0.35 "$@"; }
for tolerance in 1e-3 1e-4; do
    box --set tilt=0.4 --set h0=0.3 --set spin=0 --tol "$tolerance"
    expect_status 0 "a box comes to rest at $tolerance"
done
box --set tilt=-0.8349 --set h0=0.4033 --set spin=-0.0503 --tol 1e-6
expect_status 0 "a box lies flat, as well as the tolerance says"

# ---- slower than a hundred tolerances, and yet a bounce, or a slip that stops
cat > balls.lua << 'END'
for i, e in ipairs {0.5, 0.4} do
  local y = coordinate("y" .. i, {start = 1})
  mass(y, 1)
  force(y, -9.81)
  contact {gap = y - 0.9998, restitution = e, rest = true, name = "ball " .. i}
end
horizon(0, 0.05)
END
cat > shake.lua << 'END'
local x, y = coordinate("x"), coordinate("y")
mass(x, 1)
mass(y, 1)
force(x, 10 * cos(200 * t))
force(y, -9.81)
contact {gap = y, slip = dot(x), friction = 0.1, start = "closed", name = "floor"}
cost("way", {final = x})
horizon(0, 0.2)
END
run "$saltus" run balls.lua --tol 1e-3
expect_status 0 "two balls that bounce at one instant"
run "$saltus" run shake.lua --tol 1e-3
expect_equal "$(grep -c floor.stop out.txt)" "12" "a slip that is fast to and fro"

# ---- chains on a rough floor: links that lie flat are held several times over, and their rows contradict
# each other by what they have drifted
cat > chain.lua << 'END'
local n, pinned = setting("links", 10), setting("pinned", 0)
gravity(0, -9.81)
local h, l = pinned == 1 and 1.4 or 1.5, 2 / n
local O, X = ground_point(-3, 0), ground_point(3, 0)
local last = pinned == 1 and ground_point(0, h) or point("P0", {y = h})
local function joint(P, i)
  mass(P, 1 / n)
  contact {P, line = {O, X}, friction = 0.4, name = "foot " .. i}
end
if pinned == 0 then joint(last, 0) end
for i = 1, n do
  local P = point("P" .. i, {x = i * l * math.cos(0.3), y = h - i * l * math.sin(0.3)})
  rod {last, P, length = l}
  joint(P, i)
  last = P
end
cost("tip", {final = last.x})
horizon(0, 0.8)
END
run "$saltus" run chain.lua --tol 1e-6
expect_status 0 "a chain falls flat"
run "$saltus" run chain.lua --tol 1e-6 --set links=100 --set pinned=1
expect_status 0 "a hundred links, pinned at one end"

# ---- the row names what comes closest
run "$saltus" check "$source_dir/tests/contact/models/housner.lua" --json
expect_out '"complementarity"' "the row as JSON"
expect_out "closest: 'right' slips while it sticks, t = " "what comes closest"
finish
