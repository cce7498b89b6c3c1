#!/usr/bin/env bash
# -o: columns, rows, events, quoting.
. "$(dirname "$0")/common.sh" "$@"

run "$saltus" run ball.lua -o ball.csv
expect_status 0 "run -o"
expect_equal "$(head -n 1 ball.csv)" 't,mode,y,dot(y),ddot(y),höhe,area,height,"a,""b"' "header"
# 501 times and two rows at each of the three events.
expect_equal "$(wc -l < ball.csv)" "508" "rows"
expect_equal "$(awk -F, 'NR > 1 && NF != 9' ball.csv | wc -l)" "0" "every row has all columns"
expect_equal "$(grep -c '^#' ball.csv)" "0" "no comments"
expect_equal "$(awk -F, 'NR > 2 && $1 < last { n++ } { last = $1 } END { print n + 0 }' ball.csv)" \
    "0" "time does not go back"
expect_equal "$(sed -n 2p ball.csv | cut -d, -f1-3)" "0,,1" "the first row"
expect_equal "$(tail -n 1 ball.csv | cut -d, -f1)" "2" "the last row"
awk -F, 'NR > 2 && $1 == last { print $4 / v } { last = $1; v = $4 }' ball.csv > ratios.txt
expect_equal "$(wc -l < ratios.txt)" "3" "two rows at each event"
expect_near "$(head -n 1 ratios.txt)" -0.8 1e-6 "before and after the impact"
expect_near "$(tail -n 1 ball.csv | cut -d, -f7)" 0.81190097389850857 1e-8 "the cost's integral"
claim
awk -F, 'NR > 1 && $5 + 9.81 > 1e-9' ball.csv | grep -q . && fail "ddot(y)"

run "$saltus" run ball.lua --every 0.25 -o every.csv
expect_equal "$(wc -l < every.csv)" "16" "--every: 9 times, 3 events, the header"
run "$saltus" run ball.lua --every 0.3 -o every.csv
expect_near "$(tail -n 1 every.csv | cut -d, -f1)" 1.8 1e-12 "--every that does not divide"
run "$saltus" run ball.lua --every 1e-9 -o every.csv
expect_status 1 "too many rows"

# ---- standard output: nothing else there
run "$saltus" run ball.lua -o -
expect_same out.txt ball.csv "-o - writes what -o FILE writes"
run "$saltus" run ball.lua --json -o -
expect_status 1 "two objects on standard output"

# ---- a digit lost is a digit lost, and none is there that is not needed
awk -F, 'NR > 1 { print $3 }' ball.csv | awk '
    { shortest = sprintf("%.15g", $1); if (shortest + 0 != $1 + 0) shortest = sprintf("%.16g", $1)
      if (shortest + 0 != $1 + 0) shortest = sprintf("%.17g", $1); if (shortest != $1) n++
      if (length($1) > 17) long++ }
    END { print n + 0, (long > 100) }' > n
expect_equal "$(cat n)" "0 1" "numbers have the fewest digits that give them back"

# ---- JSON
run "$saltus" run ball.lua -o ball.json
expect_status 0 "-o FILE.json"
claim
grep -q '"columns":\["t","mode","y","dot(y)"' ball.json || fail "columns" "$(head -c 2000 ball.json)"
claim
grep -q '"rows":\[\[0.0,null,1.0,' ball.json || fail "rows"
claim
grep -q '"costs":{"area":' ball.json || fail "the usual object is beside the rows"

# ---- a run that could not go on: what there is
sed 's/horizon(0, 2)/horizon(0, 10)/' ball.lua > zeno.lua
run "$saltus" run zeno.lua -o zeno.csv
expect_status 3 "zeno"
claim
(($(wc -l < zeno.part.csv) > 500)) || fail "the motion until it could not go on"

# ---- sensitivities
run "$saltus" gradient ball.lua --method direct -o direct.csv
expect_status 0 "direct over time"
expect_equal "$(head -n 1 direct.csv | cut -d, -f1-6)" \
    "t,mode,d(y)/d(h),d(y)/d(e),d(dot(y))/d(h),d(dot(y))/d(e)" "header of direct"
expect_near "$(sed -n 2p direct.csv | cut -d, -f3)" 1 1e-12 "dy/dh at the start"
expect_near "$(tail -n 1 direct.csv | cut -d, -f9)" 0.9571097327 1e-6 "d(area)/d(h) at the end"
for method in adjoint discrete; do
    run "$saltus" gradient ball.lua --method $method -o adjoint.csv
    expect_status 0 "$method over time"
    expect_equal "$(head -n 1 adjoint.csv | cut -d, -f1-8)" \
        "t,mode,d(area)/d(y),d(area)/d(dot(y)),d(area)/d(höhe),d(area)/d(h),d(area)/d(e),y(area; y)" \
        "header of $method"
    expect_equal "$(sed -n 2p adjoint.csv | cut -d, -f1)" "0" "$method starts at the start"
    expect_near "$(sed -n 2p adjoint.csv | cut -d, -f3)" 0.9571097327 1e-6 "d(area)/d(y) at the start"
    expect_equal "$(wc -l < adjoint.csv)" "508" "rows of $method"
    expect_equal "$(awk -F, 'NR > 2 && $1 < last { n++ } { last = $1 } END { print n + 0 }' \
        adjoint.csv)" "0" "rows of $method ascend"
done

# ---- both sets of adjoint variables: with M = 2, lambda_v = 2 y + 2 q y_mu
run "$saltus" gradient "$source_dir/models/cartesian_pendulum.lua" --wrt L --cost int_y,int_t_mu \
    --method adjoint --every 0.5 -o sets.csv
expect_status 0 "adjoints with a constraint"
expect_equal "$(head -n 1 sets.csv | cut -d, -f3-10)" \
    "d(int_y)/d(x),d(int_y)/d(y),d(int_y)/d(dot(x)),d(int_y)/d(dot(y)),d(int_y)/d(L),y(int_y; x),y(int_y; y),y(int_y; multiplier(rod))" \
    "columns of both sets"
expect_equal "$(head -n 1 sets.csv | awk -F, '{ print NF, $18 }')" "18 y(int_t_mu; multiplier(rod))" \
    "columns of the second cost"
expect_equal "$(head -n 1 sets.csv | tr ',' '\n' | sort | uniq -d)" "" "each column once"
run "$saltus" run "$source_dir/models/cartesian_pendulum.lua" --cost int_y,int_t_mu --every 0.5 \
    -o motion.csv
expect_equal "$(paste -d, sets.csv motion.csv | awk -F, 'NR > 1 {
        x = $21; y = $22; off = $5 - 2 * $8 - 2 * x * $10; bad += off * off > 1e-20
        off = $14 - 2 * $17 - 2 * y * $18; bad += off * off > 1e-20; rows++
    } END { print rows, bad + 0 }')" "7 0" "the two sets are related by M and the constraint"

# ---- no two columns have one name
cat > alike.lua << 'LUA'
model "alike"
local x, h = coordinate("x", {start = param("h", 1), speed = param("x", 1)}), coordinate("h")
mass(x, 1)
mass(h, 1)
local hits = memory("hits", 0)
cost("x", {integral = x})
cost("hits", {integral = h})
cost("t", {final = t})
cost("same", {final = x})
output("same", x)
output("mode", x)
output("dot(x)", dot(x))
horizon(0, 1)
LUA
run "$saltus" run alike.lua -o alike.csv
expect_equal "$(head -n 1 alike.csv)" \
    "t,mode,x,h,dot(x),dot(h),ddot(x),ddot(h),hits,cost(x),cost(hits),cost(t),same,output(same),output(mode),output(dot(x))" \
    "columns that would be alike"
run "$saltus" run alike.lua --cost hits -o alike.csv
expect_equal "$(head -n 1 alike.csv | cut -d, -f10,11)" "cost(hits),output(same)" \
    "names do not depend on what is asked for"
for method in direct adjoint; do
    run "$saltus" gradient alike.lua --method $method -o alike.csv
    expect_status 0 "gradient -o with equal names"
    expect_equal "$(head -n 1 alike.csv | tr , '\n' | sort | uniq -d | wc -l)" 0 "$method: equal names"
done
expect_equal "$(head -n 1 alike.csv | cut -d, -f3-5)" \
    "d(cost(x))/d(x),d(cost(x))/d(h),d(cost(x))/d(dot(x))" "adjoint: equal names"

# ---- more parameters than the library takes at once
cat > chain.lua << 'LUA'
model "chain"
local n, x, left = 20, {}, 0
for i = 1, n do
    x[i] = coordinate("x" .. i, {start = i == 1 and 1 or 0})
    mass(x[i], 1)
    potential(0.5 * param("k" .. i, 10 + i) * (x[i] - left)^2)
    left = x[i]
end
cost("last", {integral = x[n]^2})
horizon(0, 5)
LUA
run "$saltus" gradient chain.lua --method direct -o chain.csv --every 1 --json
expect_status 0 "20 parameters over time"
flatten out.txt > flat
for k in 1 9 20; do
    column=$(head -n 1 chain.csv | tr , '\n' | grep -nx "d(last)/d(k$k)" | cut -d: -f1)
    expect_near "$(tail -n 1 chain.csv | cut -d, -f"$column")" \
        "$(value_at flat costs.last.gradient.k$k)" 1e-9 "d(last)/d(k$k) at the end"
done

finish
