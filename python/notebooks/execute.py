"""Executes the cells of notebooks one after the other, as a kernel does, in this process.

    python3 execute.py NOTEBOOK...

The last expression of a cell is shown as a notebook would show it, so that pages and tables are made too.
"""
import ast
import json
import os
import sys
import time
import traceback

os.environ.setdefault("MPLBACKEND", "Agg")


def execute_cell(source, names, place):
    tree = ast.parse(source, place)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), place, "eval"), names)
        if hasattr(value, "_repr_html_"):
            value._repr_html_()
        else:
            repr(value)


def execute(path):
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    names = {"__name__": "__main__"}
    for i, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            execute_cell("".join(cell["source"]), names, f"{os.path.basename(path)}, cell {i}")


if __name__ == "__main__":
    failed = 0
    for path in sys.argv[1:]:
        began = time.monotonic()
        try:
            execute(path)
            print(f"{os.path.basename(path)}: {time.monotonic() - began:.1f} s")
        except Exception:
            failed += 1
            traceback.print_exc()
    sys.exit(failed > 0)
