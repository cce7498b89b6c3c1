#!/bin/bash
# The tests of the Python package, and the examples of its docstrings.
set -eu
. "$(dirname "$0")/common.sh" "$@"
need cffi numpy pandas pytest
cd "$source_dir"
exec "$python" -m pytest -q -p no:cacheprovider --durations=3 python/tests
