# Completion of saltus for bash. Installed where bash-completion finds it; or: source this file.
# The program itself lists the candidates: commands, options, names of the model, kinds of files.

_saltus() {
    local words=() word cut="" line pattern glued=0
    # bash cuts words at "=": they are put together again, and answers are cut likewise.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if ((${#words[@]})) && { [[ $word == "=" ]] || ((glued)); }; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        glued=0
        [[ $word == "=" ]] && glued=1
    done
    [[ ${words[-1]} == *=* ]] && cut=${words[-1]%"${COMP_WORDS[COMP_CWORD]#=}"}
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :f* ]]; then
            compopt -o filenames 2> /dev/null
            set -f
            for pattern in ${line#:f*s}; do
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!$pattern" -- "${words[-1]#"$cut"}")
            done
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "${words[-1]#"$cut"}")
        else
            word=${line%%$'\t'*}
            COMPREPLY+=("${word#"$cut"}")
            [[ $word == *= ]] && compopt -o nospace 2> /dev/null
        fi
    done < <(set -f && "${COMP_WORDS[0]}" help --complete -- "${words[@]}" 2> /dev/null)
}

complete -F _saltus saltus
