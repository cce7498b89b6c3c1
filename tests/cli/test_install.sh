#!/bin/bash
# The installed library is usable from pkg-config and from CMake, the installed program runs.
# Called with the program's path and the source folder.
set -eu
program=$1 source=$2
build=$(cd "$(dirname "$program")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Under sanitizers everything that links the library must be built with them: not what is tested here.
if grep -q 'SALTUS_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then echo "skipped: sanitized build"; exit 0; fi

cmake --install "$build" --prefix "$folder/prefix" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
"$folder/prefix/bin/saltus" --version | grep -q '^saltus [0-9]' || { echo "the installed program does not run"; exit 1; }

cat >"$folder/main.c" <<'C'
#include <saltus/saltus.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load(argc > 1 ? argv[1] : "", &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_run    *run = saltus_run_new(system, NULL, &err);
    double         value = 0.0, gradient[4] = {0.0};
    saltus_run_simulate(run, NULL, &err);
    saltus_run_cost_gradient(run, "energy_tF", &value, gradient, &err);
    if (err.status) printf("%s\n", err.message);
    else printf("%.6f %.6f\n", value, gradient[1]);
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
    return err.status != SALTUS_OK;
}
C
expected="2.604401 19.533005"
check() { [ "$2" = "$expected" ] || { echo "$1 printed '$2', expected '$expected'"; exit 1; }; echo "$1: $2"; }

libraries=$(find "$folder/prefix" -name pkgconfig -type d)
export PKG_CONFIG_PATH=$libraries
cc "$folder/main.c" -o "$folder/shared" $(pkg-config --cflags --libs saltus) -Wl,-rpath,"$(dirname "$libraries")"
check "pkg-config, shared" "$("$folder/shared" "$source/models/bouncing_ball.lua")"

# Without a shared library beside it, -lsaltus is the static one; with all libraries static where they are.
mkdir "$folder/static"
cp "$(dirname "$libraries")"/libsaltus.a "$folder/static/"
static_libs=$(pkg-config --static --libs saltus | sed "s,-L[^ ]*prefix[^ ]*,-L$folder/static,")
cc "$folder/main.c" -o "$folder/archive" $(pkg-config --cflags saltus) $static_libs
check "pkg-config --static" "$("$folder/archive" "$source/models/bouncing_ball.lua")"
if cc -static -x c - -o /dev/null -lklu -llua5.4 -lmd -lm 2>/dev/null <<<'int main(void) { return 0; }'; then
    cc -static "$folder/main.c" -o "$folder/all_static" $(pkg-config --cflags saltus) $static_libs 2>"$folder/log" ||
        { cat "$folder/log"; exit 1; }
    check "pkg-config --static, all static" "$("$folder/all_static" "$source/models/bouncing_ball.lua")"
fi

# The name of the shared library changes with what its CMake package takes for another interface.
version=$(pkg-config --modversion saltus)
soname=$(objdump -p "$(dirname "$libraries")/libsaltus.so" | sed -n 's/^ *SONAME *//p')
[ "$soname" = "libsaltus.so.${version%.*}" ] || { echo "version $version has the soname $soname"; exit 1; }

mkdir "$folder/consumer"
cp "$folder/main.c" "$folder/consumer/"
cat >"$folder/consumer/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C)
find_package(saltus REQUIRED)
add_executable(with_shared main.c)
target_link_libraries(with_shared PRIVATE saltus::saltus)
add_executable(with_static main.c)
target_link_libraries(with_static PRIVATE saltus::saltus_static)
CMAKE
cmake -S "$folder/consumer" -B "$folder/consumer/build" -DCMAKE_PREFIX_PATH="$folder/prefix" >"$folder/log" 2>&1 &&
    cmake --build "$folder/consumer/build" >>"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
for kind in shared static; do
    check "CMake, $kind" "$("$folder/consumer/build/with_$kind" "$source/models/bouncing_ball.lua")"
done

# The headers stand alone, also for C++.
for header in "$source"/include/saltus/*.h; do
    header=$(basename "$header" .h)
    echo "#include <saltus/$header.h>" >"$folder/alone.c"
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$folder/prefix/include" -c "$folder/alone.c" -o /dev/null
    if command -v c++ >/dev/null; then
        cp "$folder/alone.c" "$folder/alone.cc"
        c++ -Wall -Wextra -Werror -I"$folder/prefix/include" -c "$folder/alone.cc" -o /dev/null
    fi
done
echo "headers stand alone"

# A program is the same in C++, {0} included.
if command -v c++ >/dev/null; then
    c++ -x c++ -Wall "$folder/main.c" -o "$folder/cxx" $(pkg-config --cflags --libs saltus) -Wl,-rpath,"$(dirname "$libraries")"
    check "C++" "$("$folder/cxx" "$source/models/bouncing_ball.lua")"
fi
