#!/bin/bash
# Runs every fenced code block of the documentation.
#
#     test_docs.sh PROGRAM SOURCE [PAGE...]
#
#   ```lua            a complete model: shown and run. A first line `-- NAME.lua` (or `-- NAME.lua:
#                     ...`) keeps it under that name for the blocks below it on the page.
#   ```lua fragment   a part of a model: a small model is put around it.
#   ```lua error      must be refused; a ```text block after it is the message.
#   ```sh             run; must succeed, or `sh exit=3` must exit with that status. A ```text block
#                     after it is the output, both streams.
#   ```c              with main: compiled, linked and run; a ```text block after it is the output.
#   ```c fragment     compiled inside of a function.
#   ```python         run if there is a Python that has what it imports (SciPy, pandas may be missing), else
#                     only compiled; a ```text block after it is the output. A first line `# NAME.py`
#                     keeps it under that name. Blocks that use the package saltus are run by the system's
#                     Python if it was built; `python continued` goes on after the blocks above it.
#   ```gnuplot        run if there is a gnuplot.
#   ```octave         run if there is an Octave, after the blocks above it; a ```text block after it is the output.
#   ```console        not run, like ```json, ```cmake, ```matlab and ```text alone.
#
# In expected text, a line `...` stands for any lines, `...` inside of a line for anything; numbers
# may differ by rounding (1e-6, or both below 1e-8), and the width of columns does not matter. A page
# has a directory of its own, with models/, examples/ and tests/ linked into it. Links between pages are
# followed too.
set -u
program=$(realpath "$1")
source=$(realpath "$2")
shift 2
library=$(dirname "$program")/libsaltus.a
CC=${CC:-cc}
PATH="$(dirname "$program"):$PATH"
export PATH NO_COLOR=1 LC_ALL=C
unset COLUMNS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
blocks=0 failures=0

fail() { # place, what
    failures=$((failures + 1))
    echo "FAIL $1: $2"
    sed 's/^/    /' | head -n 60
}

# The blocks of a page as files 001, 002, ... with NNN.info: line, then the words after ```.
split_page() {
    awk -v dir="$2" '
        !inside && /^```/ { inside = 1; n++; body = sprintf("%s/%03d", dir, n)
                            info = $0; sub(/^```/, "", info)
                            print NR " " info > (body ".info"); printf "" > body
                            close(body ".info"); next }
        inside && /^```$/ { inside = 0; close(body); next }
        inside            { print > body }
        END               { if (inside) print "unclosed" > (dir "/unclosed") }' "$1"
}

# Compares the file with the expected one; silent if they agree.
compare() {
    awk '
        function trim(s) { sub(/[ \t\r]+$/, "", s); return s }
        function near(a, b,   d, m) { # the same word, or numbers that differ by rounding only
            if (a == b) return 1
            if (a !~ number || b !~ number) return 0
            d = a - b; m = a > 0 ? a + 0 : -a
            if (d < 0) d = -d
            return d <= 1e-6 * m || (m < 1e-8 && d < 1e-8)
        }
        function same(line, pattern,   x, y, n, i) {
            if (line == pattern) return 1
            n = split(line, x, separators)
            if (split(pattern, y, separators) != n) return 0
            for (i = 1; i <= n; i++) if (!near(x[i], y[i])) return 0
            return 1
        }
        function fits(line, pattern,   part, n, i, at) { # "..." is anything
            n = split(pattern, part, /\.\.\./)
            if (n == 1) return same(line, pattern)
            if (index(line, part[1]) != 1 && part[1] != "") return 0
            line = substr(line, length(part[1]) + 1)
            for (i = 2; i < n; i++) {
                at = index(line, part[i])
                if (!at) return 0
                line = substr(line, at + length(part[i]))
            }
            return part[n] == "" || (length(line) >= length(part[n]) &&
                   substr(line, length(line) - length(part[n]) + 1) == part[n])
        }
        BEGIN { separators = "[ \t,;:=]+"; number = "^[-+]?[0-9.]+(e[-+]?[0-9]+)?$" }
        NR == FNR { want[++w] = trim($0); next }
        { got[++g] = trim($0) }
        END {
            while (w && want[w] == "") w--
            while (g && got[g] == "") g--
            i = j = 1
            while (i <= w) {
                if (want[i] == "...") {
                    if (i == w) exit 0
                    for (i++; j <= g && !fits(got[j], want[i]); j++) ;
                    if (j > g) { print "not found: " want[i]; exit 1 }
                } else if (j > g) { print "missing: " want[i]; exit 1 }
                else if (!fits(got[j], want[i])) {
                    print "expected: " want[i]; print "got:      " got[j]; exit 1
                } else { i++; j++ }
            }
            if (j <= g) { print "more than expected: " got[j]; exit 1 }
        }' "$1" "$2"
}

fragment() { # block
    echo 'model "fragment"'
    grep -q 'param("k"' "$1" || echo 'local k = param("k", 4)'
    grep -q 'param("e"' "$1" || echo 'local e = param("e", 0.8)'
    grep -q 'coordinate("x"' "$1" ||
        echo 'local x = coordinate("x", {start = 1, speed = 0.1}) mass(x, 1) force(x, -9.81)'
    grep -q 'coordinate("y"' "$1" ||
        echo 'local y = coordinate("y", {start = 0.5, speed = 2}) mass(y, 1) force(y, -9.81)'
    cat "$1"
    grep -q 'horizon(' "$1" || echo 'horizon(0, 0.3)'
}

run_lua() { # block, place, kind, expected
    local file=block.lua name
    name=$(sed -n '1s/^-- \([A-Za-z0-9_-]*\.lua\).*/\1/p' "$1")
    case $3 in
    fragment) fragment "$1" >block.lua ;;
    error)
        cp "$1" model.lua
        if saltus show model.lua >"$tmp/out" 2>&1; then
            fail "$2" "was not refused" <"$tmp/out"
        elif [ -n "$4" ] && ! compare "$4" "$tmp/out" >"$tmp/difference"; then
            cat "$tmp/out" >>"$tmp/difference"
            fail "$2" "another message" <"$tmp/difference"
        fi
        return
        ;;
    *) file=${name:-block.lua} && cp "$1" "$file" ;;
    esac
    for command in "show" "run --quiet"; do
        # shellcheck disable=SC2086
        saltus $command "$file" >"$tmp/out" 2>&1 || fail "$2" "saltus $command" <"$tmp/out"
    done
}

run_sh() { # block, place, kind, expected
    local wanted=0 status
    case $3 in exit=*) wanted=${3#exit=} ;; esac
    (bash -e "$1") >"$tmp/out" 2>&1 </dev/null
    status=$?
    if [ "$status" != "$wanted" ]; then
        fail "$2" "exit status $status" <"$tmp/out"
    elif [ -n "$4" ] && ! compare "$4" "$tmp/out" >"$tmp/difference"; then
        { cat "$tmp/difference" && echo "--- output:" && cat "$tmp/out"; } >"$tmp/both"
        fail "$2" "another output" <"$tmp/both"
    fi
}

run_c() { # block, place, kind, expected
    local flags="-std=c11 -Wall -Wextra -Werror -I$source/include"
    if nm "$library" 2>/dev/null | grep -q __asan_init; then
        flags="$flags -fsanitize=address,undefined"
    fi
    if [ "$3" = fragment ]; then
        {
            echo '#include <stdio.h>'
            echo '#include <stdlib.h>'
            echo '#include <saltus/saltus.h>'
            echo 'void f(saltus_model *model, saltus_system *system, saltus_run *run, saltus_error err);'
            echo 'void f(saltus_model *model, saltus_system *system, saltus_run *run, saltus_error err) {'
            echo '(void)model; (void)system; (void)run; (void)err;'
            cat "$1"
            echo '}'
        } >block.c
        # shellcheck disable=SC2086
        $CC $flags -fsyntax-only block.c >"$tmp/out" 2>&1 || fail "$2" "does not compile" <"$tmp/out"
        return
    fi
    cp "$1" block.c
    # shellcheck disable=SC2086,SC2046
    if ! $CC $flags block.c -o block "$library" $(pkg-config --libs lua5.4) -lklu -lmd -lpthread -lm \
        >"$tmp/out" 2>&1; then
        fail "$2" "does not compile" <"$tmp/out"
        return
    fi
    if ! ./block >"$tmp/out" 2>&1; then
        fail "$2" "the program failed" <"$tmp/out"
    elif [ -n "$4" ] && ! compare "$4" "$tmp/out" >"$tmp/difference"; then
        cat "$tmp/out" >>"$tmp/difference"
        fail "$2" "another output" <"$tmp/difference"
    fi
}

# Runs the blocks so far, silently, then this one.
run_package() { # block, place, expected, kind
    local python=/usr/bin/python3 build
    build=$(dirname "$program")
    [ "$4" = continued ] || : >before.py
    if ! [ -x $python ] || ! PYTHONPATH=$build/python $python -c 'import saltus, pandas, scipy, torch' 2>/dev/null; then
        echo "$2: not run, the package or what it uses is not there"
        [ -z "${CI:-}" ] || fail "$2" "in CI nothing is skipped" </dev/null
        return
    fi
    cat >both.py <<'PYTHON'
import contextlib, io, sys
names = {"__name__": "__main__"}
with contextlib.redirect_stdout(io.StringIO()):
    exec(compile(open("before.py").read(), "before.py", "exec"), names)
exec(compile(open(sys.argv[1]).read(), "block.py", "exec"), names)
PYTHON
    if ! PYTHONPATH=$build/python MPLBACKEND=Agg $python -B both.py "$1" >"$tmp/out" 2>&1 </dev/null; then
        fail "$2" "the program failed" <"$tmp/out"
    elif [ -n "$3" ] && ! compare "$3" "$tmp/out" >"$tmp/difference"; then
        cat "$tmp/out" >>"$tmp/difference"
        fail "$2" "another output" <"$tmp/difference"
    fi
    cat "$1" >>before.py
}

run_python() { # block, place, expected, kind
    local name
    if [ "$4" = continued ] || grep -q '^import saltus' "$1"; then
        run_package "$@"
        return
    fi
    name=$(sed -n '1s/^# \([A-Za-z0-9_]*\.py\).*/\1/p' "$1")
    name=${name:-block.py}
    cp "$1" "$name"
    command -v python3 >/dev/null || return
    if ! python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$name" >"$tmp/out" 2>&1; then
        fail "$2" "is not Python" <"$tmp/out"
    elif grep -qE '^(import|from) (numpy|scipy)' "$1" && ! python3 -c 'import numpy, scipy' 2>/dev/null; then
        echo "$2: only compiled, SciPy is not there"
    elif grep -qE '^import (pandas|matplotlib)' "$1" && ! python3 -c 'import pandas, matplotlib' 2>/dev/null; then
        echo "$2: only compiled, pandas or matplotlib is not there"
    elif ! python3 -B "$name" >"$tmp/out" 2>&1 </dev/null; then
        fail "$2" "the program failed" <"$tmp/out"
    elif [ -n "$3" ] && ! compare "$3" "$tmp/out" >"$tmp/difference"; then
        cat "$tmp/out" >>"$tmp/difference"
        fail "$2" "another output" <"$tmp/difference"
    fi
}

run_gnuplot() { # block, place
    command -v gnuplot >/dev/null || { echo "$2: not run, gnuplot is not there" && return; }
    gnuplot "$1" >"$tmp/out" 2>&1 || fail "$2" "gnuplot" <"$tmp/out"
    [ ! -s "$tmp/out" ] || fail "$2" "gnuplot has something to say" <"$tmp/out"
}

# Blocks of a page see what those before them have defined.
run_octave() { # block, place, expected
    command -v octave-cli >/dev/null || { echo "$2: not run, octave is not there" && return; }
    [ -e page.m ] || echo "1;" >page.m
    { cat page.m && echo 'printf("==\n");' && cat "$1"; } >block.m
    cat "$1" >>page.m
    if ! octave-cli --norc --no-history --path "$source/octave" block.m >"$tmp/all" 2>&1 </dev/null; then
        fail "$2" "octave" <"$tmp/all"
        return
    fi
    sed '0,/^==$/d' "$tmp/all" >"$tmp/out"
    if [ -n "$3" ] && ! compare "$3" "$tmp/out" >"$tmp/difference"; then
        cat "$tmp/out" >>"$tmp/difference"
        fail "$2" "another output" <"$tmp/difference"
    fi
}

run_block() { # block, page, next block or ""
    local line info language kind place expected=""
    read -r line info <"$1.info"
    read -r language kind <<<"$info"
    place="$2:$line"
    if [ -n "$3" ] && [ "$(cut -d' ' -f2- "$3.info")" = text ]; then expected=$3; fi
    blocks=$((blocks + 1))
    case $language in
    lua) run_lua "$1" "$place" "$kind" "$expected" ;;
    sh) run_sh "$1" "$place" "$kind" "$expected" ;;
    c) run_c "$1" "$place" "$kind" "$expected" ;;
    python) run_python "$1" "$place" "$expected" "$kind" ;;
    gnuplot) run_gnuplot "$1" "$place" ;;
    octave) run_octave "$1" "$place" "$expected" ;;
    text | console | json | cmake | csv | matlab) blocks=$((blocks - 1)) ;;
    *) fail "$place" "no such kind of block: '$info'" </dev/null ;;
    esac
}

check_links() { # page
    local link
    grep -oE '\]\([^)#]+' "$source/$1" | sed 's/](//' | grep -v '^https\?:' | while read -r link; do
        [ -e "$source/$(dirname "$1")/$link" ] || echo "$link"
    done >"$tmp/links"
    [ -s "$tmp/links" ] && fail "$1" "links to nothing" <"$tmp/links"
}

run_page() { # page, relative to the source
    local dir i list
    dir=$tmp/$(echo "$1" | tr / _)
    mkdir -p "$dir/blocks" "$dir/work"
    split_page "$source/$1" "$dir/blocks"
    [ -e "$dir/blocks/unclosed" ] && fail "$1" "a block is not closed" </dev/null
    check_links "$1"
    cd "$dir/work" || exit 1
    ln -s "$source/models" models
    ln -s "$source/examples" examples
    ln -s "$source/tests" tests
    list=("$dir"/blocks/[0-9][0-9][0-9])
    [ -e "${list[0]}" ] || return
    for ((i = 0; i < ${#list[@]}; i++)); do run_block "${list[i]}" "$1" "${list[i + 1]:-}"; done
}

cd "$source" || exit 1
if [ $# -gt 0 ]; then pages=("$@"); else
    mapfile -t pages < <(printf '%s\n' README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md && find docs -name '*.md' | sort)
fi
[ "${#pages[@]}" -ge 1 ] || exit 1
for page in "${pages[@]}"; do
    if [ -e "$source/$page" ]; then run_page "$page"; else fail "$page" "is not there" </dev/null; fi
done
echo "$blocks blocks of ${#pages[@]} pages, $failures failures"
[ "$failures" = 0 ]
