#!/bin/bash
# The reference of the C library is what the headers say now, and has every function of theirs.
# Called with the program's path (not needed) and the source folder.
set -eu
source=$2
page=$source/docs/reference/c-api.md
if ! "$source/scripts/api-reference" | diff "$page" - ; then
    echo "docs/reference/c-api.md is not up to date: scripts/api-reference > docs/reference/c-api.md"
    exit 1
fi
functions=0
for name in $(sed -n '/^SALTUS_API /,/[;(]/p' "$source"/include/saltus/*.h | grep -oE 'saltus_[a-z0-9_]+\(' | sort -u) \
            $(grep -ohE '^static inline .* saltus_[a-z0-9_]+\(' "$source"/include/saltus/*.h | grep -oE 'saltus_[a-z0-9_]+\('); do
    grep -qF "$name" "$page" || { echo "$name) is not in docs/reference/c-api.md"; exit 1; }
    functions=$((functions + 1))
done
for op in $(sed -n 's/^OP(\([A-Z0-9]*\),.*/\1/p' "$source/src/expr/ops.def"); do
    grep -qF "saltus_${op,,}(" "$source/include/saltus/expr.h" || { echo "expr.h has no saltus_${op,,}"; exit 1; }
done
[ "$functions" -gt 150 ] || { echo "only $functions functions were found in the headers"; exit 1; }
echo "$functions functions"
