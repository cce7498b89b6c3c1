#!/usr/bin/env bash
# How the program and the library are linked and compiled: what an attacker would look for first.
. "$(dirname "$0")/common.sh" "$@"

command -v readelf > /dev/null || {
    echo "skipped: there is no readelf"
    exit 77
}
if readelf -W --dyn-syms "$saltus" | grep -q __asan_; then
    echo "skipped: built with sanitizers"
    exit 77
fi
if ! grep -qE '^CMAKE_BUILD_TYPE:[A-Z]*=(RelWithDebInfo|Release)$' "$(dirname "$saltus")/CMakeCache.txt" 2> /dev/null; then
    echo "skipped: not built for release"
    exit 77
fi

claim
readelf -Wh "$saltus" | grep -q 'Type: *DYN' || fail "the program may be loaded anywhere"
for file in "$saltus" "$(dirname "$saltus")"/libsaltus.so; do
    name=$(basename "$file")
    claim
    readelf -Wl "$file" | grep -q GNU_RELRO || fail "$name: tables of the linker become read-only"
    claim
    readelf -Wd "$file" | grep -q 'FLAGS_1.*NOW' || fail "$name: all symbols are bound when it is loaded"
    claim
    readelf -W --dyn-syms "$file" | grep -q ' __stack_chk_fail' || fail "$name: stacks are protected"
    claim
    readelf -W --dyn-syms "$file" | grep -q ' __[a-z]*printf_chk' || fail "$name: calls of libc are checked"
    claim
    readelf -Wl "$file" | grep 'GNU_STACK' | grep -q 'RWE' && fail "$name: the stack is not executable"
done

finish
