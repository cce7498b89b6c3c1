#!/bin/bash
# The notebooks, cell after cell.
set -eu
. "$(dirname "$0")/common.sh" "$@"
need cffi numpy pandas scipy matplotlib torch
cd "$source_dir/python/notebooks"
exec "$python" execute.py *.ipynb
