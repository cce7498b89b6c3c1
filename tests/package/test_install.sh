#!/bin/bash
# What `cmake --install` writes into a folder of one's own can be used, also after it was moved.
# Called with the program's path and the source folder.
set -eu
source=$2
build=$(dirname "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target installed >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
cmake --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
if grep -rlE "$work/first|$build" "$work/first" --include='*.pc' --include='*.cmake' --include='*.py' --include='*.1'; then
    echo "these files know where they were built or installed"
    exit 1
fi
[ -s "$work/first/share/doc/saltus/LICENSE" ] || { echo "the licence is not installed"; exit 1; }
mv "$work/first" "$work/moved"
bash "$source/tests/package/consumers.sh" "$work/moved"
