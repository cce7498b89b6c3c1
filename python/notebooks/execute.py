"""Executes the cells of notebooks one after the other, as a kernel does, in this process.

    python3 execute.py [-o FOLDER] NOTEBOOK...

The last expression of a cell is shown as a notebook would show it, so that pages and tables are made too. With -o, the
figure of a cell is written as NOTEBOOK-CELL.svg. A notebook without a figure fails.
"""
import argparse
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


def take_figure(path):
    """Closes the figure of a cell, as notebooks do; returns whether there was one."""
    if "matplotlib.pyplot" not in sys.modules:
        return False
    import matplotlib.pyplot as plt
    found = bool(plt.get_fignums())
    if found and path:
        plt.rcParams["svg.hashsalt"] = "saltus"  # the same file each time
        plt.savefig(path, bbox_inches="tight", metadata={"Date": None})
    plt.close("all")
    return found


def execute(path, folder=None):
    """Returns how many figures there were."""
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    names, figures = {"__name__": "__main__"}, 0
    stem = os.path.splitext(os.path.basename(path))[0]
    for i, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            execute_cell("".join(cell["source"]), names, f"{os.path.basename(path)}, cell {i}")
            figures += take_figure(folder and os.path.join(folder, f"{stem}-{i}.svg"))
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="+", metavar="NOTEBOOK")
    parser.add_argument("-o", "--output", metavar="FOLDER")
    arguments = parser.parse_args()
    failed = 0
    for path in arguments.notebooks:
        began = time.monotonic()
        try:
            figures = execute(path, arguments.output)
            print(f"{os.path.basename(path)}: {time.monotonic() - began:.1f} s")
            if not figures:
                raise RuntimeError(f"{path} has no figure")
        except Exception:
            failed += 1
            traceback.print_exc()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
