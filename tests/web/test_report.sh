#!/usr/bin/env bash
# The report in a real browser: Chromium, driven by playwright-core (npm). Called with the program and
# the source folder; screenshots are left in web-artefacts/ of the folder it is called in.
set -eu
program=$(realpath "${1:?usage: $0 PROGRAM SOURCE_DIR}")
source_dir=$(realpath "${2:?usage: $0 PROGRAM SOURCE_DIR}")
here=$PWD/web-artefacts

missing() {
    echo "skipped: $1 (make test installs it)"
    exit 77
}
command -v node > /dev/null || missing "there is no node"
command -v npm > /dev/null || missing "there is no npm"
command -v chromium > /dev/null || missing "there is no chromium"

if "$program" report "$source_dir/models/bouncing_ball.lua" -o - 2>&1 > /dev/null | grep -q "built without"; then
    missing "saltus was built without dygraphs"
fi

# What npm brings stays outside of the sources, and is brought once.
mkdir -p "$here"
cp "$source_dir"/tests/web/{package.json,package-lock.json,.npmrc} "$here"
if ! cmp -s "$here/package-lock.json" "$here/installed.json" || [[ ! -d $here/node_modules ]]; then
    (cd "$here" && npm ci --no-progress > npm.log 2>&1) || {
        cat "$here/npm.log"
        echo "npm could not install playwright-core"
        exit 1
    }
    cp "$here/package-lock.json" "$here/installed.json"
fi
cp "$source_dir"/tests/web/*.mjs "$here"
cd "$here"
# A headless browser now and then stops answering, without load and without an error: then it is asked
# again. What it answers counts.
export SALTUS=$program SALTUS_SOURCE=$source_dir
for attempt in 1 2; do
    status=0
    timeout --kill-after=5 170 node --test . || status=$?
    [[ $status == 124 || $status == 137 ]] || exit "$status"
    echo "the browser did not answer (attempt $attempt)"
done
echo "skipped: the browser did not answer twice"
exit 77
