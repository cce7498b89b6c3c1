#!/usr/bin/env bash
# --threads and several models: the same results however many work at them, in the order asked for.
. "$(dirname "$0")/common.sh" "$@"

models=$source_dir/models

# ---- the number of threads is seen in stats only
for words in "gradient $models/five_bar.lua --method fd --until 1" "check $models/five_bar.lua --until 1" \
    "check $models/rope_cut.lua" "gradient $models/string_taut.lua --method auto,fd"; do
    for threads in 1 2 7 32; do
        # shellcheck disable=SC2086
        run "$saltus" $words --threads $threads --json
        expect_status 0 "$words --threads $threads"
        without_stats out.txt > threads-$threads.json
        flatten out.txt > flat
        expect_equal "$(value_at flat stats.threads)" $threads "stats.threads"
        expect_same threads-1.json threads-$threads.json "$words: $threads threads and one"
    done
done
run "$saltus" gradient ball.lua --repeat 2 --json
flatten out.txt > flat
expect_equal "$(value_at flat stats.threads)" 1 "one thread if times are measured"
run "$saltus" gradient ball.lua --repeat 2 --threads 3 --json
flatten out.txt > flat
expect_equal "$(value_at flat stats.threads)" 3 "unless more are asked for"

# ---- several models: the outputs one after the other, in order, whichever is ready first
sed 's/horizon(0, 2)/horizon(0, 10)/' ball.lua > zeno.lua
sed 's/model "ball"/model "slow"/; s/horizon(0, 2)/horizon(0, 3)/' ball.lua > slow.lua
list="slow.lua $models/five_bar.lua ball.lua $models/string_taut.lua"
for command in run check; do
    : > single.txt
    for model in $list; do
        "$saltus" $command "$model" >> single.txt
        [[ $command == check ]] && echo >> single.txt
    done
    [[ $command == check ]] && sed -i '$d' single.txt
    for threads in 1 2 16; do
        # shellcheck disable=SC2086
        run "$saltus" $command $list --threads $threads
        expect_status 0 "$command of several models"
        expect_same out.txt single.txt "$command of several models, $threads threads"
    done
done
for threads in 1 4; do
    # shellcheck disable=SC2086
    "$saltus" gradient $list --json --threads $threads 2> err.txt | sed 's/,"stats":.*//' > lines-$threads.txt
    expect_equal "$(grep -c '^{"saltus":' lines-$threads.txt)" 4 "--json: one object per line"
    expect_equal "$(cut -d'"' -f10 lines-$threads.txt | sed 's,.*/,,' | tr '\n' ' ')" \
        "slow.lua five_bar.lua ball.lua string_taut.lua " "--json: in order"
done
expect_same lines-1.txt lines-4.txt "--json of several models"

# ---- one that fails does not keep the others from being done; the largest exit status counts
run "$saltus" run zeno.lua ball.lua nowhere.lua
expect_status 3 "numerics (3) and a file that is not there (1)"
expect_err "zeno.lua: error: Zeno" "which one failed"
expect_err "nowhere.lua: error: cannot read" "which one is not there"
expect_out "ball  (ball.lua)" "the others"
run "$saltus" run ball.lua nowhere.lua
expect_status 1 "a file that is not there"
printf 'print("hello")\n' | cat - ball.lua > talking.lua
run "$saltus" run talking.lua zeno.lua --quiet
expect_equal "$(head -n 1 err.txt)" hello "what scripts print"

# ---- mistakes
wrong() { # text, words
    run "$saltus" "${@:2}"
    expect_status 1 "${*:2}"
    expect_err "$1" "${*:2}"
    expect_no_out "${*:2}"
}
wrong "--threads '0': must be from 1 to 1024" run ball.lua --threads 0
wrong "--threads '1025': must be" check ball.lua --threads 1025
wrong "--threads '-2': not a whole number" run ball.lua --threads=-2
wrong "--threads 'all': not a whole number" gradient ball.lua --threads all
wrong "not an option of 'show' (but of: run, gradient, check, report, optimise, sweep)" show ball.lua --threads 2
wrong "unexpected argument 'ball.lua'" show ball.lua ball.lua
wrong "unexpected argument 'ball.lua'" dump ball.lua ball.lua
wrong "-o x.csv is one file, but 2 models are given" run ball.lua slow.lua -o x.csv
wrong "cannot be one of several" run ball.lua -
wrong "--params - can be read once" run ball.lua slow.lua --params -

finish
