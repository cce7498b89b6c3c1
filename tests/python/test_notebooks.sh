#!/bin/bash
# The notebooks, cell after cell. Each chapter of the guide has one, but those on C and on Octave.
set -eu
. "$(dirname "$0")/common.sh" "$@"
need cffi numpy pandas scipy matplotlib torch
for chapter in "$source_dir"/docs/guide/*.md; do
    name=$(basename "$chapter" .md)
    case $name in
    *-c-library | *-octave) continue ;;
    esac
    [ -e "$source_dir/python/notebooks/$name.ipynb" ] || { echo "there is no notebook of the chapter $name"; exit 1; }
done
cd "$source_dir/python/notebooks"
exec "$python" execute.py *.ipynb
