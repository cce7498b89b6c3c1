#!/usr/bin/env bash
# The shell completion knows what the program knows.
. "$(dirname "$0")/common.sh" "$@"

# shellcheck source=/dev/null
. "$source_dir/scripts/completion.bash" || fail "it loads"

complete_words() { # the words of a command line, the last one unfinished
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _saltus
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ' | sed 's/ $//'
}

expect_equal "$(complete_words saltus gr)" "gradient" "commands"
expect_equal "$(complete_words saltus help ch)" "check" "help"
expect_equal "$(complete_words saltus run --ju)" "--jumps" "options"
expect_equal "$(complete_words saltus check --ju)" "" "options of other commands"
expect_equal "$(complete_words saltus gradient ball.lua --method ad)" "adjoint" "methods"
expect_equal "$(complete_words saltus gradient ball.lua --method au)" "auto" "methods"
expect_equal "$(complete_words saltus gradient --method adjoint,d)" \
    "adjoint,direct adjoint,discrete" "a list of methods"
expect_equal "$(complete_words saltus gradient --method = f)" "fd" "--method=f"
expect_equal "$(complete_words saltus run --integrator dopr)" "dopri5" "integrators"
touch values.json out.csv
mkdir models
expect_equal "$(complete_words saltus run '')" "ball.lua models" "models"
expect_equal "$(complete_words saltus run ball.lua --params v)" "values.json" "files of --params"
expect_equal "$(complete_words saltus run ball.lua -o '')" "models out.csv values.json" "files of -o"
expect_equal "$(complete_words saltus run ball.lua --tol '')" "" "a free value"

touch page.html
expect_equal "$(complete_words saltus report ball.lua -o '')" "models page.html" "files of report -o"
saltus() { "$saltus" "$@"; }
expect_equal "$(complete_words saltus models five)" "five_bar" "our models"
unset -f saltus
expect_equal "$(complete_words saltus cache '')" "" "cache takes no file"

# ---- the lists are those of the program
for command in run gradient check show dump compile report new models cache sweep; do
    "$saltus" "$command" --help | sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p' | sort > program.txt
    _saltus_options "$command" | tr -s ' \n' '\n' | sort > completion.txt
    expect_same program.txt completion.txt "options of $command"
    # An option that takes a value is followed by it.
    "$saltus" "$command" --help | sed -nE 's/^  (-., |    )(--[a-z-]+) [A-Z].*/\2/p' | while read -r option; do
        [[ $option == --params || $option == --output || $option == --csv || $option == --points ]] || _saltus_values "$option" > /dev/null ||
            echo "$option"
    done > missing.txt
    expect_equal "$(cat missing.txt)" "" "options of $command that take a value"
done
"$saltus" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | sort > program.txt
# shellcheck disable=SC2154 # of the completion
tr ' ' '\n' <<< "$_saltus_commands" | sort > completion.txt
expect_same program.txt completion.txt "commands"

finish
