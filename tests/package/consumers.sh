#!/bin/bash
# Uses an installed tree as a stranger would: consumers.sh PREFIX. The program, its manual pages, models and documentation; a
# C program linked through pkg-config (shared, static, completely static) and through CMake (shared, static); the Python
# package. Everything is found below PREFIX only.
set -eu
prefix=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*"; exit 1; }
there() { [ -s "$prefix/$1" ] || fail "$1 is not installed"; }

libdir=$(dirname "$(find "$prefix/lib" -name 'libsaltus.so.*.*.*' | head -n 1)")
[ -d "$libdir" ] || fail "there is no shared library below $prefix/lib"
export PKG_CONFIG_PATH=$libdir/pkgconfig CMAKE_PREFIX_PATH=$prefix XDG_CACHE_HOME=$work/cache
documents=share/doc/saltus
model=$prefix/share/saltus/models/bouncing_ball.lua
cp "$prefix/$documents/examples/ball.c" "$prefix/$documents/examples/ball.out" .

# ---- the program, and what is beside it
"$prefix/bin/saltus" gradient "$model" --json >answer.json || fail "saltus gradient"
"$prefix/bin/saltus" models | grep -q five_bar || fail "saltus models"
for file in README.md docs/reference/language.md docs/guide/1-first-model.md; do there "$documents/$file"; done
there share/bash-completion/completions/saltus
"$prefix/bin/saltus" help --tables | sed -nE 's/^ {6}"name": "(.*)",$/command \1/p; s/^ {10}"name": "(.*)",$/option \1/p' >tables
[ "$(grep -c '^command' tables)" -ge 15 ] && [ "$(grep -c '^option' tables)" -ge 200 ] || fail "the tables are incomplete"
manual() { # name: unpacks its page, which groff must understand
    local file
    file=$(find "$prefix/share/man/man1" -name "$1.1" -o -name "$1.1.gz")
    [ -n "$file" ] || fail "there is no manual page $1(1)"
    zcat -f "$file" >"$1.1"
    command -v groff >/dev/null || return 0
    complaints=$(groff -man -Tutf8 -ww -z "$1.1" 2>&1) || true
    [ -z "$complaints" ] || fail "$1(1): $complaints"
}
manual saltus
while read -r kind name; do
    if [ "$kind" = command ]; then
        page=saltus-$name
        manual "$page"
        grep -qF "saltus $name" saltus.1 || fail "saltus(1) does not list $name"
    else
        grep -qF -- "\\fB\\-\\-${name//-/\\-}\\fR" "$page.1" || fail "$page(1) has no option --$name"
    fi
done <tables

grep -qx '\.B fd' saltus-gradient.1 || fail "saltus-gradient(1) has no list of methods"

# ---- C: the example prints what it prints in the repository
run_program() { # file, what it is
    "$@" "$model" >output || fail "the program does not run: $*"
    diff ball.out output >/dev/null || { diff ball.out output || true; fail "another output: $*"; }
}
compile() { ${CC:-cc} -O1 ball.c -o "$1" "${@:2}" || fail "$1 does not link: ${*:2}"; }
# Of two libraries with one name, -L decides; Debian's Lua and SuiteSparse are where they always are.
compile shared $(pkg-config --cflags --libs saltus)
run_program env "LD_LIBRARY_PATH=$libdir" ./shared
env "LD_LIBRARY_PATH=$libdir" ldd shared | grep -q "$libdir/libsaltus" || fail "the shared library is not that of $prefix"
compile archive $(pkg-config --cflags saltus) "$libdir/libsaltus.a" $(pkg-config --static --libs saltus | sed 's/-lsaltus //')
run_program ./archive
compile static -static $(pkg-config --static --cflags --libs saltus) 2>warnings
run_program ./static
mkdir cmake-consumer
cat >cmake-consumer/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(consumer C)
find_package(saltus 0.1 REQUIRED)
foreach(kind saltus saltus_static)
  add_executable(with_${kind} ../ball.c)
  target_link_libraries(with_${kind} PRIVATE saltus::${kind})
endforeach()
END
{ cmake -S cmake-consumer -B cmake-build && cmake --build cmake-build; } >cmake.log 2>&1 || { tail -n 20 cmake.log; fail "CMake"; }
run_program cmake-build/with_saltus
run_program cmake-build/with_saltus_static

# ---- Python, if it was built
package=$(dirname "$(find "$prefix/lib" -path '*/saltus/__init__.py' | head -n 1)")
if [ -d "$package" ]; then
    PYTHONPATH=$(dirname "$package") PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c '
import sys, saltus
assert saltus.__file__.startswith(sys.argv[1]), saltus.__file__
run = saltus.load(sys.argv[2])(e=0.8)
print("Python: %.6f" % run.gradient[0, 1])
' "$package" "$model" || fail "the Python package"
else
    echo "there is no Python package to try"
fi
echo "the tree can be used"
