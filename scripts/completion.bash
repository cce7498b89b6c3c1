# Completion of saltus for bash. Installed where bash-completion finds it; or: source this file.
# The options of each command are those of `saltus COMMAND --help`: tests/cli/test_completion.sh
# compares the two.

_saltus_commands="run gradient check show dump compile report new models cache periodic equilibrium fit optimise sweep diff help"

_saltus_common="--set --params --data --wrt --cost --tol --until --formulation --backend --seed --json
    --quiet --verbose --no-color --help --version --rtol --atol --integrator --max-step
    --first-step --rest-speed --impacts --max-steps --max-events --event-rate-min --record-memory --fd-step --alpha --xi
    --omega"

_saltus_loads="--set --params --data --wrt --cost --seed --json --quiet --verbose --no-color --help --version"

_saltus_any="--json --quiet --no-color --help --version"

_saltus_options() {
    case $1 in
        run) echo "--output --every --jumps --repeat --jsonl --threads $_saltus_common" ;;
        gradient) echo "--output --every --method --event-times --one-sided --trust --hessian --repeat --jsonl --threads $_saltus_common" ;;
        dump) echo "--after $_saltus_loads" ;;
        compile) echo "--output $_saltus_loads" ;;
        report) echo "--output --every --force --threads $_saltus_common" ;;
        check) echo "--threads $_saltus_common" ;;
        show) echo "$_saltus_loads" ;;
        models) echo "--output $_saltus_any" ;;
        new) echo "--editor $_saltus_any" ;;
        periodic) echo "--output --along $_saltus_common" ;;
        equilibrium) echo "$_saltus_common" ;;
        fit) echo "--output --over --profile --level $_saltus_common" ;;
        optimise) echo "--output --minimise --over --subject --starts --shooting --sequences --threads $_saltus_common" ;;
        sweep) echo "--output --method --over --sample --points --gradients --final --csv --resume --threads $_saltus_common" ;;
        diff) echo "--method $_saltus_common" ;;
        cache) echo "--clear $_saltus_any" ;;
        *) echo "--help --version" ;;
    esac
}

# What may follow an option; nothing if it takes a free value; status 1 if it takes none.
_saltus_values() {
    case $1 in
        --method) echo "auto adjoint discrete direct fd" ;;
        --formulation) echo "index1 penalty" ;;
        --backend) echo "auto interp native" ;;
        --integrator) echo "dop853 dopri5" ;;
        --impacts) echo "together one-by-one" ;;
        --after) echo "model kinks terms derive program" ;;
        --sample) echo "random: lhs: sobol:" ;;
        --sequences) echo "keep free search" ;;
        --along | --final | --minimise | --subject | --starts | --shooting | --set | --data | --over | --level | --wrt | --cost | --tol | --until | --seed | --every | --repeat | --threads | --rtol | --atol | \
            --max-step | --first-step | --rest-speed | --max-steps | --max-events | --event-rate-min | \
            --record-memory | --fd-step | --alpha | --xi | --omega) ;;
        *) return 1 ;;
    esac
}

# Files with one of the endings given, and folders, that begin with the first argument.
_saltus_files() {
    local current=$1 ending
    shift
    compopt -o filenames 2> /dev/null
    for ending in "$@"; do
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!*.$ending" -- "$current")
    done
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current")
}

_saltus_models() { saltus models --json 2> /dev/null | sed -n 's/^ *"name": "\(.*\)",$/\1/p'; }

_saltus() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command="" word values done=""
    # bash cuts --name=value into three words.
    if [[ $current == "=" ]]; then
        current=""
    elif [[ $previous == "=" ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word == -* ]] || { command=$word && break; }
    done

    if [[ $previous == -o || $previous == --output ]]; then
        if [[ $command == models ]]; then _saltus_files "$current" lua
        elif [[ $command == report ]]; then _saltus_files "$current" html
        elif [[ $command == sweep ]]; then _saltus_files "$current" db
        else _saltus_files "$current" csv json; fi
    elif [[ $previous == --points ]]; then
        _saltus_files "$current" csv jsonl
    elif [[ $previous == --csv ]]; then
        _saltus_files "$current" csv
    elif [[ $previous == --params ]]; then
        _saltus_files "$current" json
    elif values=$(_saltus_values "$previous"); then
        if [[ $previous == --method && $current == *,* ]]; then # a list: complete its last name
            done=${current%,*},
            current=${current##*,}
        fi
        mapfile -t COMPREPLY < <(compgen -P "$done" -W "$values" -- "$current")
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_saltus_options "$command")" -- "$current")
    elif [[ -z $command || $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_saltus_commands" -- "$current")
    elif [[ $command == models ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_saltus_models)" -- "$current")
    elif [[ $command == cache ]]; then
        return # takes options only
    else
        _saltus_files "$current" lua
    fi
}

complete -F _saltus saltus
