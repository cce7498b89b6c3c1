#!/usr/bin/env bash
# The completion of bash, zsh and fish: all of it comes from the program.
. "$(dirname "$0")/common.sh" "$@"

# ---- what the program offers
offers() { # the words of a command line, the last one unfinished
    "$saltus" help --complete -- "$@" > offers.txt || fail "it answers $*"
    cut -f 1 offers.txt | sort | tr '\n' ' ' | sed 's/ $//'
}
expect_equal "$(offers gr)" "gradient" "commands"
expect_equal "$(offers -)" "--help --version" "options without a command"
expect_equal "$(offers help ch)" "check" "help"
expect_equal "$(offers help eve)" "event" "words of the language"
expect_equal "$(offers run --ju)" "--jumps" "options"
expect_equal "$(offers check --ju)" "" "options of other commands"
expect_equal "$(offers gradient ball.lua --method ad)" "adjoint" "values"
expect_equal "$(offers gradient --method=au)" "--method=auto" "--name=value"
expect_equal "$(offers gradient --method adjoint,d)" "adjoint,direct adjoint,discrete" "a list"
expect_equal "$(offers run ball.lua --tol '')" "" "a free value"
expect_equal "$(offers run '')" ":files *.lua" "models"
expect_equal "$(offers run ball.lua -p v)" ":files *.json" "files of --params"
expect_equal "$(offers report ball.lua -o '')" ":files *.html" "files of report -o"
expect_equal "$(offers compile ball.lua -o '')" ":folders" "the folder of compile"
expect_equal "$(offers cache '')" "" "cache takes no file"
expect_equal "$(offers models five)" "five_bar" "our models"
expect_equal "$(offers run ball.lua --set '')" "e= g= h= n= variant=" "parameters and settings"
expect_equal "$(grep -P '^e=\t' offers.txt)" $'e=\trestitution, 0.8' "what they mean"
expect_equal "$(offers gradient --set e=0.5 ball.lua -w h,)" "h,e h,g h,h" "parameters"
expect_equal "$(offers gradient ball.lua --cost a)" "area" "costs"
expect_equal "$(offers sweep ball.lua --final dot)" "dot(y)" "what is there at the end"
expect_equal "$(offers run nowhere.lua --set '')" "" "a model that is not there"
for command in $("$saltus" help --tables | sed -n 's/^      "name": "\(.*\)",$/\1/p'); do
    "$saltus" "$command" --help | sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p' | sort | tr '\n' ' ' > help.txt
    expect_equal "$(offers "$command" --) " "$(cat help.txt)" "options of $command are those of its help"
done

# ---- bash
PATH=$(dirname "$saltus"):$PATH
touch values.json page.html "a name.lua"
mkdir models
# shellcheck source=/dev/null
. "$source_dir/scripts/completion.bash" || fail "it loads"
in_bash() { # words, as bash cuts them
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _saltus
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ' | sed 's/ $//'
}
expect_equal "$(in_bash saltus gr)" "gradient" "bash: commands"
expect_equal "$(in_bash saltus gradient --method = f)" "fd" "bash: --method=f"
expect_equal "$(in_bash saltus gradient --method = '')" "adjoint auto direct discrete fd" "bash: --method="
expect_equal "$(in_bash saltus run ball.lua --set '')" "e= g= h= n= variant=" "bash: parameters"
expect_equal "$(in_bash saltus run '')" "a name.lua ball.lua models" "bash: models and folders"
expect_equal "$(in_bash saltus run ball.lua --params = v)" "values.json" "bash: files after ="
expect_equal "$(in_bash saltus compile ball.lua -o '')" "models" "bash: folders"

# ---- zsh: the words that it is given
if command -v zsh > /dev/null; then
    in_zsh() {
        zsh -fc 'compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- $@ }
            _files() { print -r -- files "$@" }
            compdef() { : }
            . "$1"; shift; words=("$@") CURRENT=$#; _saltus' zsh "$source_dir/scripts/completion.zsh" "$@" |
            sort | tr '\n' ' ' | sed 's/ $//'
    }
    expect_equal "$(in_zsh saltus gr)" "gradient" "zsh: commands"
    expect_equal "$(in_zsh saltus run ball.lua --set '')" "e= g= h= n= variant=" "zsh: parameters"
    expect_equal "$(in_zsh saltus run ball.lua -o '')" "files -g (*.csv|*.json)" "zsh: files"
    expect_equal "$(in_zsh saltus run --ju)" "--jumps" "zsh: options"
else
    echo "skipped: no zsh"
fi

# ---- fish
if command -v fish > /dev/null; then
    in_fish() { # a command line
        HOME=$folder fish --no-config -c "source $source_dir/scripts/completion.fish; complete -C '$1'" | cut -f 1 |
            sort | tr '\n' ' ' | sed 's/ $//'
    }
    expect_equal "$(in_fish 'saltus gr')" "gradient" "fish: commands"
    expect_equal "$(in_fish 'saltus run ball.lua --set ')" "e= g= h= n= variant=" "fish: parameters"
    expect_equal "$(in_fish 'saltus run --ju')" "--jumps" "fish: options"
    expect_equal "$(in_fish 'saltus run ball.lua --params va')" "values.json" "fish: files"
else
    echo "skipped: no fish"
fi

finish
