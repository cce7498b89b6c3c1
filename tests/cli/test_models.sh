#!/usr/bin/env bash
# Every model we ship runs, and its gradients pass all checks.
. "$(dirname "$0")/common.sh" "$@"

for model in "$source_dir"/models/*.lua; do
    name=$(basename "$model")
    for command in run show dump; do
        run "$saltus" "$command" "$model"
        expect_status 0 "$command $name"
        claim
        [[ -s out.txt ]] || fail "$command $name prints something"
    done
    run "$saltus" check "$model"
    expect_status 0 "check $name"
    expect_out "checks passed" "check $name"
done
claim
((claims > 1)) || fail "there are models"

finish
