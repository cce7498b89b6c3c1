#!/bin/bash
# The package from pip, in a new environment and without a network, and from `cmake --install`.
set -eu
. "$(dirname "$0")/common.sh" "$@"
need cffi numpy pandas setuptools wheel venv pip
unset PYTHONPATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if grep -q 'SALTUS_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then echo "skipped: sanitized build"; exit 0; fi

check() { # who, python, folder of packages or ""
    (cd / && PYTHONPATH=${3:-} "$2" -c '
import saltus
m = saltus.example("bouncing_ball")
run = m(e=0.8)
print(saltus.__version__, round(float(run.costs["energy_tF"]), 6), round(float(run.gradient["energy_tF", "e"]), 6), bool(run.check()))
print(saltus.__file__)') >"$folder/out"
    [ "$(sed -n 's/^[0-9.]* //p' "$folder/out" | head -n 1)" = "2.604401 19.533005 True" ] || { cat "$folder/out"; exit 1; }
    grep -q "^$folder" "$folder/out" || { echo "$1: another package was found"; cat "$folder/out"; exit 1; }
    echo "$1: $(head -n 1 "$folder/out")"
}

"$python" -m venv --without-pip --system-site-packages "$folder/venv" >"$folder/log" 2>&1 || skip "python3-venv is not there"
# a copy, so that nothing is left in the source
mkdir "$folder/source"
cp -r "$source_dir/python" "$source_dir/include" "$source_dir/CMakeLists.txt" "$folder/source/"
SALTUS_BUILD=$build PIP_NO_INDEX=1 "$folder/venv/bin/python" -m pip install -q --disable-pip-version-check --no-build-isolation \
    "$folder/source/python" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
check "pip" "$folder/venv/bin/python"

cmake --install "$build" --prefix "$folder/prefix" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
check "cmake --install" "$python" "$(dirname "$(find "$folder/prefix" -name saltus -type d -path '*-packages*')")"
