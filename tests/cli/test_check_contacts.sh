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

# ---- the row names what comes closest
run "$saltus" check "$source_dir/tests/contact/models/housner.lua" --json
expect_out '"complementarity"' "the row as JSON"
expect_out "closest: 'right' slips while it sticks, t = " "what comes closest"
finish
