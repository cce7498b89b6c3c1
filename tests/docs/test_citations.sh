#!/bin/bash
# What comments cite is on the page they name: `events.md (7)`, `events.md (3) to (6)`, and
# `sensitivities.md, "What must hold"`. Equations of a page of docs/theory are numbered at the right end
# of their lines, from (1) on, without a gap. Files that write out formulas of a page must cite them. Called
# with the program's path (not needed) and the source folder.
set -eu
cd "$2"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

complain() { # what
    echo "$1" >&2
    bad=1
}

# Equations and headings, as "page.md (7)" and "page.md, "heading"".
for page in docs/theory/*.md; do
    name=$(basename "$page")
    numbers=$(sed -nE 's/^    .*  \(([0-9]+)\)$/\1/p' "$page")
    [ -n "$numbers" ] || complain "$page has no numbered equation"
    [ "$numbers" = "$(seq "$(echo "$numbers" | wc -l)")" ] ||
        complain "$page: equations are numbered $(echo "$numbers" | tr '\n' ' ')"
    for number in $numbers; do echo "$name ($number)"; done
    sed -nE "s/^##+ (.*)$/$name, \"\1\"/p" "$page"
done >"$tmp/there"

# Each citation as "file:page.md (7)". A comment may break anywhere, so files are read as one line.
files=$(find src include cli tests web bench examples models -type f \
             \( -name '*.[ch]' -o -name '*.def' -o -name '*.js' -o -name '*.lua' -o -name '*.sh' \) \
             ! -name test_citations.sh)
# shellcheck disable=SC2086
for file in $(grep -lE '\.md' $files); do
    sed -E 's,^ *(\*|//|#|--) ?,,' "$file" | tr '\n' ' ' | tr -s ' ' |
        grep -oE '[a-z-]+\.md(( |, | and | to )\([0-9]+\)|, "[^"]+")+' |
        sed -E 's/ to / /; s/ and /, /g' |
        awk -v file="$file" '{
            page = $1; sub(/,$/, "", page)
            if (index($0, "\"")) print file ":" $0
            else while (match($0, /\([0-9]+\)/)) {
                print file ":" page " " substr($0, RSTART, RLENGTH)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }' || true
done >"$tmp/cited"

count=0
while IFS=: read -r file citation; do
    grep -qxF "$citation" "$tmp/there" || complain "$file cites $citation, which docs/theory does not have"
    count=$((count + 1))
done <"$tmp/cited"
[ "$count" -ge 30 ] || complain "only $count citations were found"

# Files that consist of formulas.
for file in src/motion/step.c src/motion/field.h src/jump/jump.h src/jump/saltation.h src/run/assembly.h; do
    grep -q "^$file:" "$tmp/cited" || complain "$file cites no equation, but docs/theory has its formulas: write steps.md (7)"
done

# Numbers without a page.
# shellcheck disable=SC2086
if grep -nEi '(theory,? \(?|theory,? sections? |\beqs?\. ?\(?)[0-9]' $files; then
    complain "these cite numbers without a page: write events.md (7)"
fi
[ "$bad" = 0 ] && echo "$count citations"
exit $bad
