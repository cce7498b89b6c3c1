#!/usr/bin/env bash
# The five-bar study: its tables, its files, the figures drawn from them, and that it fails where it should.
. "$(dirname "$0")/common.sh" "$@"
study=$(dirname "$saltus")/five_bar_study
model=$source_dir/models/five_bar.lua
reference=$source_dir/tests/reference

run "$study" -m "$model" -r "$reference" -o new/study
expect_status 0 "the study"
expect_no_err "the study"
expect_equal "$(tail -n 1 out.txt)" "report: new/study/report.md" "it says where its report is"
expect_equal "$(grep -c ' holds$' out.txt)" 10 "requirements that hold"
expect_equal "$(grep -c MISSED out.txt)" 0 "requirements that are missed"
expect_equal "$(grep -c nan out.txt)" 0 "no nan is printed"
head -n -1 out.txt > told.txt
expect_same told.txt new/study/report.md "the report is what the terminal shows"

# Files: as many cells in each row as names, and the ends of both horizons in them.
for file in motion motion_penalty sensitivities differences events gradients adjoint_int_yd2 \
    adjoint_int_ydd2 adjoint_int_ydd2sq_plus_yd2sq; do
    claim
    awk -F, 'NR == 1 { n = NF } NF != n || NR > 1 && /nan|inf/ { exit 1 } END { if (NR < 10) exit 1 }' \
        "new/study/$file.csv" || fail "$file.csv is a table"
done
expect_near "$(awk -F, '$1 == 5 && $2 == "int_ydd2" && $3 == "L02" { print $5 }' new/study/gradients.csv)" \
    -353.41917268 1e-9 "the adjoint gradient in the file"
expect_near "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "P2.y") c = i } END { print $c }' \
    new/study/motion.csv)" -2.01766042758603 1e-11 "the end of the motion in the file"
# dpsi/drho is lambda_p at the start for parameters that the initial values do not have.
expect_near "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "lambda(L02)") c = i } END { print $c }' \
    new/study/adjoint_int_ydd2.csv)" -353.41917268 1e-9 "the adjoint at the start in the file"

# The figures of the guide are those of today: the same words, and numbers that are apart by less than one sees. Residuals
# are rounding, and another machine's differ.
if /usr/bin/python3 -c 'import matplotlib; assert matplotlib.__version__ == "3.6.3"' 2> /dev/null; then
    run /usr/bin/python3 -B "$source_dir/examples/five_bar/figures.py" new/study new/figures
    expect_status 0 "drawing the figures"
    cat > compare.py << 'COMPARE'
import re, sys
from pathlib import Path
number = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
old, new = ({path.name: path.read_text() for path in Path(folder).glob("*.svg")} for folder in sys.argv[1:])
for name in sorted(old.keys() | new.keys()):
    texts = old.get(name), new.get(name)
    if None in texts: print(f"{name} is in one folder only")
    elif name != "residuals.svg" and (len({number.sub("0", text) for text in texts}) > 1 or
            any(abs(float(a) - float(b)) > 0.02 for a, b in zip(*map(number.findall, texts)))): print(f"{name} is another picture")
print("compared", len(new))
COMPARE
    run /usr/bin/python3 -B compare.py "$source_dir/docs/guide/five-bar" new/figures
    expect_equal "$(cat out.txt)" "compared 10" "the figures of the guide are up to date: make figures"
else
    echo "not compared: the figures of the guide are drawn by matplotlib 3.6.3, which is not here"
fi

# Single sections write no report.
run "$study" -m "$model" -o nowhere events quadratures
expect_status 0 "two sections"
expect_out "1.3692793620" "the third impact"
expect_out "132.8025087001" "the third quadrature"
claim
[[ ! -e nowhere ]] || fail "tables alone write no files"

# What goes wrong is said.
run "$study" evnets
expect_status 1 "a section that is none"
expect_err "sections: events" "which ones there are"
run "$study" -m missing.lua events
expect_status 1 "a model that is not there"
expect_err "missing.lua" "its name"
run "$study" -m ball.lua events
expect_status 1 "another model"
expect_err "models/five_bar.lua" "which one is needed"
run "$study" -m "$model" -r nowhere reference
expect_status 1 "no reference"
expect_err "nowhere/fivebar_2s.json" "where it was looked for"
touch file
run "$study" -m "$model" -o file/study files
expect_status 1 "a folder that cannot be made"
expect_err "file/study" "its name"

# A model that is slightly another one misses the reference.
sed 's/param("k1", 100,/param("k1", 100.0000001,/' "$model" > other.lua
run "$study" -m other.lua -r "$reference" requirements
expect_status 4 "another stiffness"
expect_out "MISSED" "another stiffness"

finish
