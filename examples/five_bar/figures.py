#!/usr/bin/python3
"""The figures of docs/guide/8-five-bar-study.md: figures.py STUDY FOLDER

STUDY has what `five_bar_study files` wrote: the motion, its sensitivities and differences as tables.
FOLDER gets the pictures, as SVG. `make figures` does both.
"""

import csv
import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plot

BLUE, RED, GREEN, PURPLE, GREY = "#1f5fa8", "#c8501e", "#2a8a4a", "#7a4fa0", "#cccccc"
STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "five-bar", "font.family": "sans-serif", "font.size": 10, "axes.spines.top": False,
    "axes.spines.right": False, "axes.titlesize": 11, "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.grid": True,
    "axes.axisbelow": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "lines.linewidth": 1.3, "legend.frameon": False,
    "legend.fontsize": 9, "axes.prop_cycle": matplotlib.cycler(color=[BLUE, RED, GREEN, PURPLE]),
}


def read(path):
    """A table by its columns; an empty cell is no number, which leaves a gap."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) if row[name] else math.nan for row in rows] for name in rows[0]}


def save(figure, folder, name):
    # No date and no version: equal numbers make equal files.
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
    plot.close(figure)


def over_time(folder, name, title, curves, logarithmic=False):
    """curves: (t, values, label, style). Dotted ones may have spikes, and do not say how high the picture is."""
    figure, axes = plot.subplots(figsize=(6.4, 2.8), layout="constrained")
    if logarithmic:
        axes.set_yscale("log")
        axes.set_ylim(1e-17, 1e-3)
    for t, values, label, style in curves:
        shown = [abs(v) or math.nan for v in values] if logarithmic else values
        dots = {"color": "#222222", "linewidth": 1.8} if style == ":" else {}
        axes.plot(t, shown, style, label=label, **dots)
    solid = [v for _, values, _, style in curves if style == "-" for v in values if not math.isnan(v)]
    if not logarithmic:
        margin = 0.06 * (max(solid) - min(solid))
        axes.set_ylim(min(solid) - margin, max(solid) + margin)
    axes.set_xlim(0, 5)
    axes.set_title(title)
    axes.set_xlabel("t [s]", loc="right")
    if len(curves) > 1:
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.98), ncol=4, borderaxespad=0.0, handlelength=1.4, columnspacing=1.2)
    save(figure, folder, name)


def spring(start, end, turns=24, width=0.04):
    """A zigzag from one point to another."""
    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    across = (-(y1 - y0) / length * width, (x1 - x0) / length * width)
    inner = [(x0 + i / turns * (x1 - x0) + (-1) ** (i + 1) * across[0], y0 + i / turns * (y1 - y0) + (-1) ** (i + 1) * across[1])
             for i in range(3, turns - 2)]
    return list(zip(*[start, *inner, end]))


def mechanism(folder, motion, first_impact):
    at = lambda row: [(-0.5, 0.0)] + [(motion[f"P{i}.x"][row], motion[f"P{i}.y"][row]) for i in (1, 2, 3)] + [(0.5, 0.0)]
    start, impact = at(0), at(min(range(len(motion["t"])), key=lambda i: abs(motion["t"][i] - first_impact)))
    figure, axes = plot.subplots(figsize=(5.4, 3.8), layout="constrained")
    axes.axhline(-2.35, color=RED, linewidth=2)
    axes.text(-1.95, -2.37, "ground, y = \u22122.35 m", va="top")
    axes.plot(*zip(*impact), color=GREY, linewidth=4, solid_joinstyle="round")
    for end in (start[3], start[2]):
        axes.plot(*spring(start[0], end), color=GREEN, linewidth=1)
    axes.plot(*zip(*start), color=BLUE, linewidth=5, solid_joinstyle="round")
    axes.plot(*zip(*start[1:4]), "o", color="white", markeredgecolor="#333333", markersize=8)
    axes.plot(*zip(start[0], start[4]), "o", color="#333333", markersize=8)
    for (x, y), text, dx, dy in [(start[0], "A", 0, 0.14), (start[4], "B", 0, 0.14), (start[1], "1", -0.14, 0), (start[2], "2", 0.14, -0.1),
                                 (start[3], "3", 0.14, 0), ((0.45, -0.3), "k1", 0, 0), ((-0.42, -0.95), "k2", 0, 0)]:
        axes.text(x + dx, y + dy, text, ha="center", va="center", fontsize=11)
    axes.set_aspect("equal")
    axes.set_xlim(-2, 2)
    axes.set_ylim(-2.62, 0.25)
    axes.axis("off")
    save(figure, folder, "mechanism")


def draw(study, folder):
    motion, soft = read(study / "motion.csv"), read(study / "motion_penalty.csv")
    direct, differences = read(study / "sensitivities.csv"), read(study / "differences.csv")
    t = motion["t"]
    mechanism(folder, motion, read(study / "events.csv")["time"][0])
    over_time(folder, "position", "y of point 2 [m]", [(t, motion["P2.y"], "y", "-")])
    over_time(folder, "velocity", "vertical velocity of point 2 [m/s]", [(t, motion["dot(P2.y)"], "velocity", "-")])
    for cost, title in [("int_yd2", "\u222b \u1e8f\u2082"), ("int_ydd2", "\u222b \u00ff\u2082"), ("int_ydd2sq_plus_yd2sq", "\u222b \u00ff\u2082\u00b2 + \u1e8f\u2082\u00b2")]:
        over_time(folder, f"quadrature_{cost}", title, [(t, motion[cost], "z", "-")])
        by = [f"d({cost})/d({param})" for param in ("L01", "L02")]
        over_time(folder, f"sensitivity_{cost}", f"sensitivities of {title}",
                  [(direct["t"], direct[by[0]], "by L01", "-"), (direct["t"], direct[by[1]], "by L02", "-"),
                   (differences["t"], differences[by[0]], "differences", ":"), (differences["t"], differences[by[1]], None, ":")])
    over_time(folder, "residuals", "bar 1-2: residuals", logarithmic=True,
              curves=[(table["t"], table[column], label, "-") for table, column, label in
                      [(motion, "phi(1-2)", "\u03a6 index-1"), (motion, "dot(phi(1-2))", "its rate"),
                       (soft, "phi(1-2)", "\u03a6 penalty"), (soft, "dot(phi(1-2))", "its rate")]])


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: figures.py STUDY FOLDER")
    study, folder = map(Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    with plot.rc_context(STYLE):
        draw(study, folder)
    print(f"mechanism, position, velocity, quadrature_*, sensitivity_* and residuals, each .svg, in {folder}")


if __name__ == "__main__":
    main()
