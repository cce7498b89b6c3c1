# shellcheck shell=bash
# What the tests of the Python package share: called with the program and the source folder.
#
#     . "$(dirname "$0")/common.sh" "$@"
#     need numpy pytest

build=$(cd "$(dirname "$1")" && pwd)
# shellcheck disable=SC2034 # used by the tests
source_dir=$(realpath "$2")
python=/usr/bin/python3
export PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8 OMP_NUM_THREADS=1
unset NO_COLOR

skip() { # what is missing
    echo "skipped: $1"
    [ -z "${CI:-}" ] || { echo "in CI nothing is skipped"; exit 1; }
    exit 77
}

need() { # modules
    local module
    [ -x "$python" ] || skip "there is no $python"
    for module in "$@"; do
        "$python" -c "import $module" >/dev/null 2>&1 || skip "python3 has no $module (scripts/install-deps --tests)"
    done
    [ -e "$build/python/saltus/_bindings.py" ] || skip "the package was not built: configure again with python3-cffi"
}
