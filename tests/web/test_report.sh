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
SALTUS_BROWSER=$(command -v chromium-headless-shell || command -v chromium) || missing "there is no chromium"

if "$program" report "$source_dir/models/bouncing_ball.lua" -o - 2>&1 > /dev/null | grep -q "built without"; then
    missing "saltus was built without esbuild or dygraphs"
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
# Beside a package.json that says they are modules: Node 18 asks for it.
mkdir -p "$here/page"
cp "$(dirname "$program")"/pages/report/*.js "$here/page"
cd "$here"
# Every call of the browser has its limit (browser.mjs); this one is for all of them together. Ending
# the process ends the browser.
export SALTUS=$program SALTUS_SOURCE=$source_dir SALTUS_BROWSER
status=0
timeout --kill-after=10 600 node --test . || status=$?
[[ $status != 124 && $status != 137 ]] || echo "failed: the tests did not end within 600 s"
exit "$status"
