#!/bin/bash
# The documentation site builds without a warning, has every page in its navigation, no dead link or anchor, and loads
# nothing from elsewhere. Pictures are left out but for one. Called with the program's path and the source folder.
set -eu
source=$2
build=$(dirname "$1")
if ! command -v mkdocs >/dev/null || [ ! -d /usr/share/mkdocs/themes/material ]; then
    echo "MkDocs or its theme is not installed (mkdocs-material): not tested"
    [ -z "${CI:-}" ] || exit 1
    exit 77
fi
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
/usr/bin/python3 -B "$source/site/build.py" "$build" --without-pictures -o "$site/site"
/usr/bin/python3 -B "$source/site/check.py" "$site/site"
[ -s "$site/site/search/search_index.js" ] || { echo "there is no search index for pages opened as files"; exit 1; }

# The playground is there, and not the page about it.
if [ -e "$build/live/playground.html" ]; then
    cmp "$build/live/playground.html" "$site/site/try.html"
    grep -q 'href="try.html' "$site/site/index.html" || { echo "the first page does not lead to the playground"; exit 1; }
fi

# One picture, animated and not, and that of the first screen of the README.
[ -e "$build/python/saltus/_place.py" ] || { echo "the Python package was not built: no picture is drawn"; exit 0; }
draw() { PYTHONPATH=$build/python PYTHONWARNINGS=ignore /usr/bin/python3 -B "$source/site/draw.py" "$@"; }
draw "$source/models/scissor_table.lua" -o "$site/moving.svg"
draw --still "$source/models/scissor_table.lua" -o "$site/still.svg"
for picture in "$site/moving.svg" "$site/still.svg" "$source/docs/pictures/strip.svg"; do
    /usr/bin/python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$picture"
    if grep -qE 'nan|inf' "$picture"; then echo "$picture contains numbers that are none"; exit 1; fi
done
[ "$(grep -c '<animate attributeName="d"' "$site/moving.svg")" -ge 5 ] || { echo "the mechanism does not move"; exit 1; }
[ "$(stat -c %s "$source/docs/pictures/strip.svg")" -lt 200000 ] || { echo "docs/pictures/strip.svg is larger than 200 kB"; exit 1; }
