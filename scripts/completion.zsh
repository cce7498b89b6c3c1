#compdef saltus
# Completion of saltus for zsh: a file _saltus in a folder of $fpath.
# The program itself lists the candidates: commands, options, names of the model, kinds of files.

_saltus() {
    local -a lines words_only described
    local line word about
    lines=("${(@f)$("${words[1]}" help --complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)}")
    for line in $lines; do
        if [[ $line == :files* ]]; then
            _files -g "(${(j:|:)${=line#:files }})"
        elif [[ $line == :folders ]]; then
            _files -/
        elif [[ -n $line ]]; then
            word=${line%%$'\t'*} about=${line#*$'\t'}
            described+=("$word${about:+  -- $about}")
            words_only+=("$word")
        fi
    done
    (( ${#words_only} )) || return
    # Names before a value get no blank.
    if [[ ${words_only[1]} == *= ]]; then
        compadd -S '' -l -d described -- $words_only
    else
        compadd -l -d described -- $words_only
    fi
}

if [[ $funcstack[1] == _saltus ]]; then _saltus "$@"; fi
