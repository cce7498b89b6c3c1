"""Animated SVG pictures of models: the motion that Saltus computes, drawn without a browser.

    site/draw.py models/five_bar.lua -o five_bar.svg           one picture
    site/draw.py --still models/five_bar.lua -o five_bar.svg   one moment, for readers who prefer no motion
    site/draw.py --strip models/a.lua models/b.lua -o ab.svg   several side by side, each with its name;
                                   docs/pictures/strip.svg is five_bar, box_to_rest, chain, cart_pole

It needs the Python package (PYTHONPATH=build/python). Every shape is one path whose data are animated; frames that
lie on a straight line between their neighbours are left out, so that the files stay small.
"""
import argparse
import html
import math
import pathlib

import numpy as np
import saltus
from saltus._page import drawing

WIDTH, HEIGHT, MARGIN = 360, 240, 22
FRAMES = 360
TOLERANCE = 0.2  # pixels by which a path may deviate from the computed one
PAUSE = 0.9  # seconds at the end, before the motion starts again
POINTS = {"body": 2, "circle": 2, "ring": 2, "contact": 2, "coil": 2, "motor": 2, "gear": 2}
ROUND = {"circle", "ring", "gear"}  # their third number is a radius
HIDDEN = {"contact", "gap", "arm"}
ENDLESS = {"floor", "slot"}

STYLE = """
svg { --paper: #fbfbf9; --ink: #2b3a4e; --body: #c9d6e6; --bar: #4d6785; --spring: #b07a1e; --ground: #6d7480;
  --hatch: #b4b9c1; --trace: #3a7bd5; --joint: #fff; --text: #5b6470; }
@media (prefers-color-scheme: dark) { svg { --paper: #1d2026; --ink: #d5dfec; --body: #3b506b; --bar: #8fa9c9;
  --spring: #dba54a; --ground: #9aa2ae; --hatch: #565d68; --trace: #6ea4f0; --joint: #1d2026; --text: #a4adb9; } }
path { fill: none; stroke: var(--ink); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
.paper { fill: var(--paper); stroke: none }
.bar { stroke: var(--bar); stroke-width: 6 }
.rod { stroke-width: 2.4 }
.body { fill: var(--body); stroke: var(--bar); stroke-width: 2 }
.limb { stroke: var(--bar); stroke-width: 7 }
.spring { stroke: var(--spring); stroke-width: 1.7 }
.dashed { stroke: var(--ground); stroke-width: 1.2; stroke-dasharray: 5 4 }
.ground { stroke: var(--ground) }
.hatch { stroke: var(--hatch); stroke-width: 7; stroke-dasharray: 1.2 6; stroke-linecap: butt }
.circle { fill: var(--body); stroke-width: 1.8 }
.trace { stroke: var(--trace); stroke-width: 1.6 }
.faint { stroke: var(--trace); stroke-width: 1.2; opacity: .28 }
.outer { stroke: var(--ink); stroke-width: 8 }
.inner { stroke: var(--joint); stroke-width: 4 }
.dot { stroke-width: 5 }
.support { fill: var(--body); stroke-width: 1.4 }
text { fill: var(--text); font: 21px system-ui, sans-serif; text-anchor: middle }
"""


def number(x):
    text = f"{x:.1f}"
    text = text[:-2] if text.endswith(".0") else text
    return "0" if text == "-0" else text


class View:
    """Where the motion is on the picture."""

    def __init__(self, kinds, rows):
        self.low, self.high = np.full(2, np.inf), np.full(2, -np.inf)
        for values in rows:
            for kind, v in zip(kinds, values):
                if v is not None and kind not in ENDLESS and kind not in ("contact", "gap"):
                    radius = v[2] if kind in ROUND else 0
                    self.cover(points(kind, v), radius)
        if not np.isfinite(self.low).all():
            self.low, self.high = np.full(2, -1.0), np.full(2, 1.0)
        for kind, v in zip(kinds, rows[0]):
            if kind == "floor" and v is not None:
                (a, b), middle = points(kind, v), (self.low + self.high) / 2
                along = (b - a) / np.linalg.norm(b - a)
                self.cover([a + along * np.dot(middle - a, along)], 0)
        size = self.high - self.low
        least = 0.25 * max(size.max(), 1e-9)
        grow = np.maximum(least - size, 0) / 2
        self.low, self.high = self.low - grow, self.high + grow
        room = np.array([WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN])
        self.scale = min(room / (self.high - self.low))

    def cover(self, place, radius):
        for p in place:
            self.low, self.high = np.minimum(self.low, p - radius), np.maximum(self.high, p + radius)

    def at(self, place):
        x, y = (np.asarray(place) - (self.low + self.high) / 2) * self.scale
        return np.array([WIDTH / 2 + x, HEIGHT / 2 - y])


def points(kind, v):
    count = POINTS.get(kind, len(v))
    return [np.array(v[i:i + 2], dtype=float) for i in range(0, count - 1, 2)]


# ---- shapes as paths: a format with a place for each number, and the numbers of one frame ------------------

def polyline(place, closed=False):
    form = "M{} {}" + "L{} {}" * (len(place) - 1) + ("Z" if closed else "")
    return form, [c for p in place for c in p]


def zigzag(a, b):
    length = max(np.linalg.norm(b - a), 1e-6)
    along = (b - a) / length
    side = np.array([-along[1], along[0]])
    lead, coils = min(10, length / 5), 9
    place = [a, a + along * lead]
    for i in range(2 * coils):
        s = lead + (length - 2 * lead) * (i + 0.5) / (2 * coils)
        place.append(a + along * s + side * (6 if i % 2 else -6))
    return polyline(place + [b - along * lead, b])


def dashpot(a, b, aside):
    """A damper. If it is between the ends of a spring, it is drawn a little aside of it."""
    length = max(np.linalg.norm(b - a), 1e-6)
    along = (b - a) / length
    side = np.array([-along[1], along[0]])
    a, b = a + side * aside + along * aside / 2, b + side * aside - along * aside / 2
    m, w = a + along * length / 2, min(14, length / 4)
    place = [a, m, m - side * 4, m + side * 4, m + along * w - side * 7, m - along * w / 2 - side * 7,
             m + along * w + side * 7, m - along * w / 2 + side * 7, m + along * w - side * 7, m + along * w + side * 7,
             m + along * w, b]
    return "M{} {}L{} {}" * 6, [c for p in place for c in p]


def round_path(centre, radius):
    """Two halves of a circle. Their ends are exactly opposite, whatever digits are left out."""
    (x, y), radius = centre, round(radius, 1)
    return "M{} {}a{} {} 0 1 0 {} 0a{} {} 0 1 0 {} 0", [x - radius, y, radius, radius, 2 * radius, radius, radius, -2 * radius]


def spiral(centre, start, end):
    place = []
    sweep = 4 * math.pi + math.remainder(end - start, 2 * math.pi)
    for i in range(25):
        angle, radius = start + sweep * i / 24, 3 + 8 * i / 24
        place.append(centre + radius * np.array([math.cos(angle), -math.sin(angle)]))
    return polyline(place)


def dot(centre):
    return "M{} {}h0", list(centre)


def lengthened(a, b, reach=700):
    along = (b - a) / max(np.linalg.norm(b - a), 1e-9)
    foot = a + along * np.dot(np.array([WIDTH / 2, HEIGHT / 2]) - a, along)
    return foot - along * reach, foot + along * reach


def ground(place):
    """A line whose free side is on its left, and a thick dashed line beside it as hatching. y goes down."""
    shifted = []
    for i, p in enumerate(place):
        along = place[min(i + 1, len(place) - 1)] - place[max(i - 1, 0)]
        along = along / max(np.linalg.norm(along), 1e-9)
        shifted.append(p + 4.5 * np.array([-along[1], along[0]]))
    return [("hatch", polyline(shifted)), ("ground", polyline(place))]


def hull(place):
    """Which of these points are corners of their convex hull, in order."""
    order = sorted(range(len(place)), key=lambda i: tuple(place[i]))

    def half(indices):
        out = []
        for i in indices:
            while len(out) > 1:
                u, w = place[out[-1]] - place[out[-2]], place[i] - place[out[-2]]
                if u[0] * w[1] - u[1] * w[0] > 1e-9:
                    break
                out.pop()
            out.append(i)
        return out[:-1]
    return half(order) + half(order[::-1])


def paths_of(kind, v, view, aside=0):
    """The paths of one shape in one frame: (class, (format, numbers))."""
    place = [view.at(p) for p in points(kind, v)]
    if kind in ("bar", "rod"):
        return [(kind, polyline(place))]
    if kind == "line":
        return [("rod", polyline(place))]
    if kind == "spring":
        return [("spring", zigzag(*place))]
    if kind == "damper":
        return [("spring", dashpot(*place, aside))]
    if kind == "slot":
        return [("dashed", polyline(lengthened(*place)))]
    if kind == "dashed":
        return [("dashed", polyline(place))]
    if kind in ("ground", "edge"):
        return ground(place)
    if kind == "floor":
        return ground(lengthened(*place))
    if kind in ROUND:
        radius = max(4 if kind == "circle" else 0, abs(v[2]) * view.scale)  # small balls are seen, too
        out = [({"circle": "circle", "gear": "dashed"}.get(kind, "rod"), round_path(place[0], radius))]
        if len(v) > 3:
            mark = place[0] + radius * np.array([math.cos(v[3]), -math.sin(v[3])])
            out.append(("rod", polyline([place[0], mark])))
        return out
    if kind == "motor":
        tick = place[0] + 9 * np.array([math.cos(v[-1]), -math.sin(v[-1])])
        return [("spring", round_path(place[0], 9)), ("spring", polyline([place[0], tick]))]
    if kind == "coil":
        return [("spring", spiral(place[0], v[2], v[3]))]
    if kind == "pin":
        return [("outer", dot(place[0])), ("inner", dot(place[0]))]
    if kind == "point":
        return [("dot", dot(place[0]))]
    if kind == "fixed":
        x, y = place[0]
        triangle = [np.array(p) for p in ((x, y), (x - 8, y + 12), (x + 8, y + 12))]
        return [("support", polyline(triangle, closed=True)), ("outer", dot(place[0])), ("inner", dot(place[0]))]
    return []


LAYERS = ["faint", "trace", "hatch", "ground", "dashed", "body", "limb", "circle", "bar", "rod", "spring", "support", "outer",
          "inner", "dot"]


# ---- bodies: the hull of the points that belong to them --------------------------------------------------------

def without_directions(shapes):
    """Arms to points that only say where a slot goes are no part of the body: their indices."""
    slots, used = set(), set()
    for shape in shapes:
        if shape["shape"] != "arm":
            ends = {tuple(shape["value"][i:i + 2]) for i in range(0, len(shape["value"]) - 1, 2)}
            (slots if shape["shape"] == "slot" else used).update(ends)
    return {i for i, shape in enumerate(shapes) if shape["shape"] == "arm" and tuple(shape["value"][2:4]) in slots - used}


def bodies(shapes):
    """Index of each body -> indices of its arms. What is drawn as a circle about its centre is that circle."""
    left_out, round_ones = without_directions(shapes), [s["value"][:2] for s in shapes if s["shape"] == "circle"]
    found = {i: [j for j, arm in enumerate(shapes) if arm["shape"] == "arm" and j not in left_out
                 and arm["value"][:2] == body["value"][:2]]
             for i, body in enumerate(shapes) if body["shape"] == "body"}
    return {i: arms for i, arms in found.items() if arms or shapes[i]["value"][:2] not in round_ones}


def pinned(shapes, row):
    """Where a motor or a torsion spring is drawn: at the pin of its body. Index -> index of the arm to that pin, or None."""
    pins = {tuple(s["value"]) for s in shapes if s["shape"] == "pin"}
    fixed = [row[i] for i, s in enumerate(shapes) if s["shape"] == "fixed" and row[i]]
    out = {}
    for i, shape in enumerate(shapes):
        if shape["shape"] in ("motor", "coil"):
            angles = shape["value"][2:]
            other = next((s for s in shapes if s["shape"] == "body" and s["value"][2] == angles[0]
                          and s["value"][:2] != shape["value"][:2]), None)
            targets = fixed if other is None else [other_end(row, j) for j, s in enumerate(shapes) if row[j] and (
                s is other or s["shape"] == "arm" and s["value"][:2] == other["value"][:2])]
            arms = [j for j, s in enumerate(shapes) if s["shape"] == "arm" and s["value"][:2] == shape["value"][:2] and row[j]
                    and (other or tuple(s["value"][2:4]) in pins)]
            if arms and targets:
                out[i] = min(arms, key=lambda j: min(math.dist(other_end(row, j), t) for t in targets))
    return out


def other_end(row, j):
    return row[j][2:4] if len(row[j]) > 3 else row[j][:2]


def body_frames(i, arms, rows, view):
    """A body is a filled hull, a thick line if its points are on a line, or a small box. Which points is decided once."""
    form = None
    for row in rows:
        if row[i] is None or any(row[j] is None for j in arms):
            yield None
            continue
        place = [view.at(row[i][:2])] + [view.at(row[j][2:4]) for j in arms]
        if form is None:
            form, chosen = outline(place)
        corners = box(place[0], row[i][2]) if form == "box" else [place[k] for k in chosen]
        yield "limb" if form == "limb" else "body", polyline(corners, closed=form != "limb")


def box(centre, angle, half=(13, 9)):
    """The corners of a box that is turned by the angle; y goes down in pictures."""
    along, side = np.array([math.cos(angle), -math.sin(angle)]), np.array([math.sin(angle), math.cos(angle)])
    return [centre + a * half[0] * along + b * half[1] * side for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def outline(place):
    """Class and corners of a body with these points, the first of which is its centre."""
    if len(place) == 1:
        return "box", [0]
    corners = hull(place)
    around = list(zip(corners, corners[1:] + corners[:1]))
    area = abs(sum(place[a][0] * place[b][1] - place[a][1] * place[b][0] for a, b in around))
    if len(corners) > 2 and area > 60:
        return "body", corners
    pairs = [(a, b) for a in range(len(place)) for b in range(a)]
    return "limb", list(max(pairs, key=lambda p: np.linalg.norm(place[p[0]] - place[p[1]])))


# ---- animation --------------------------------------------------------------------------------------------------

def needed_frames(table, tolerance):
    """Indices of rows from which the others follow by straight lines (Douglas and Peucker)."""
    keep, stack = {0, len(table) - 1}, [(0, len(table) - 1)]
    while stack:
        a, b = stack.pop()
        if b - a < 2:
            continue
        share = (np.arange(a + 1, b) - a)[:, None] / (b - a)
        off = np.abs(table[a + 1:b] - (table[a] + share * (table[b] - table[a]))).max(axis=1)
        worst = int(off.argmax())
        if off[worst] > tolerance:
            keep.add(a + 1 + worst)
            stack += [(a, a + 1 + worst), (a + 1 + worst, b)]
    return sorted(keep)


class Clock:
    """Times of frames as shares of the animation, which ends with a pause."""

    def __init__(self, frames, seconds):
        self.frames, self.seconds = frames, seconds
        self.motion = seconds / (seconds + PAUSE)

    def animate(self, attribute, indices, texts, discrete=False):
        times = [f"{self.motion * i / (self.frames - 1):.4f}".rstrip("0").rstrip(".").replace("0.", ".", 1) or "0" for i in indices]
        if times[-1] != "1":
            times, texts = times + ["1"], texts + texts[-1:]
        mode = ' calcMode="discrete"' if discrete else ""
        return (f'<animate attributeName="{attribute}" dur="{self.seconds + PAUSE:g}s" repeatCount="indefinite"{mode} '
                f'keyTimes="{";".join(times)}" values="{";".join(texts)}"/>')


def path_element(name, frames, clock, still):
    """One path through all frames; None where it is not shown. The text without animation is its middle frame."""
    shown = [f for f in frames if f is not None]
    if not shown:
        return ""
    form = shown[0][0]
    shown = [f for f in shown if f[0] == form]
    filled, last = [], shown[0][1]
    for f in frames:
        last = f[1] if f is not None and f[0] == form else last
        filled.append(last)
    table = np.array(filled)
    text = [form.format(*(number(x) for x in row)) for row in table]
    middle = text[still]
    indices = needed_frames(table, TOLERANCE)
    inner = ""
    if clock and len({text[i] for i in indices}) > 1:
        inner += clock.animate("d", indices, [text[i] for i in indices])
    visible = ["visible" if f is not None else "hidden" for f in frames]
    if clock and "hidden" in visible:
        changes = [i for i, v in enumerate(visible) if i == 0 or visible[i - 1] != v]
        inner += clock.animate("visibility", changes, [visible[i] for i in changes], discrete=True)
    hidden = ' visibility="hidden"' if visible[still] == "hidden" else ""
    return f'<path class="{name}" d="{middle}"{hidden}' + (f">{inner}</path>" if inner else "/>")


def trace_elements(frames, clock, still):
    """A faint line along the whole way, and one that grows as the motion goes on."""
    table = np.array(frames)
    way = table[needed_frames(table, 0.3)]
    d = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in way)
    passed = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(table, axis=0), axis=1))])
    if passed[-1] < 3:
        return []
    left = (1 - passed / passed[-1])[:, None]
    indices = needed_frames(left, 0.004)
    grow = clock.animate("stroke-dashoffset", indices, [f"{left[i][0]:.3f}" for i in indices]) if clock else ""
    attributes = f'pathLength="1" stroke-dasharray="1" stroke-dashoffset="{left[still][0]:.3f}"'
    return [("faint", f'<path class="faint" d="{d}"/>'), ("trace", f'<path class="trace" d="{d}" {attributes}>{grow}</path>')]


def has_optimum(path):
    """Of a model that says what is to be optimised, the optimum is drawn."""
    return any(line.startswith("optimise") for line in path.read_text().splitlines())


def optimum(model):
    found = model.optimise().params
    return dict(zip(found.axes[0], found.tolist()))


def picture(path, still=False):
    """The paths of a model's motion, in the order in which they are drawn."""
    model = saltus.load(str(path))
    run = model(optimum(model)) if has_optimum(path) else model()
    shapes, timed = drawing(run, FRAMES)
    kinds = [s["shape"] for s in shapes]
    rows = [[None if v is not None and None in v else v for v in row] for _, row in timed]
    if not kinds:
        raise SystemExit(f"{path}: the model draws nothing")
    for i, arm in pinned(shapes, rows[0]).items():
        for row in rows:
            row[i] = row[i] and row[arm] and [*row[arm][2:4], *row[i][2:]]
    skipped = without_directions(shapes)
    view = View(kinds, [[None if i in skipped else v for i, v in enumerate(row)] for row in rows])
    clock = None if still else Clock(len(rows), min(max(run.t - run.start_time, 3.0), 8.0))
    moment = int(0.55 * len(rows))
    found = []
    for i, arms in bodies(shapes).items():
        frames = list(body_frames(i, arms, rows, view))
        name = next(f[0] for f in frames if f is not None)
        found.append((name, path_element(name, [f and f[1] for f in frames], clock, moment)))
    traced = [i for i, kind in enumerate(kinds) if kind == "trace"] or [
        i for i, s in enumerate(shapes) if s["shape"] == "body" or s["shape"] == "point" and s["name"]][:10]
    for i in traced:
        frames = [view.at(row[i][:2]) for row in rows if row[i] is not None]
        if len(frames) == len(rows):
            found += trace_elements(frames, clock, moment)
    springs = [s["value"] for s in shapes if s["shape"] == "spring"]
    for i, kind in enumerate(kinds):
        if kind in HIDDEN or kind in ("body", "trace"):
            continue
        aside = 14 if kind == "damper" and shapes[i]["value"] in springs else 0
        parts = [None if row[i] is None else paths_of(kind, row[i], view, aside) for row in rows]
        first = next((p for p in parts if p), [])
        for k, (name, _) in enumerate(first):
            found.append((name, path_element(name, [p and p[k][1] for p in parts], clock, moment)))
    seen, out = set(), []
    for name, text in sorted(found, key=lambda f: LAYERS.index(f[0])):
        if text and text not in seen:
            seen.add(text)
            out.append(text)
    return "\n".join(out)


def panel(path, still, x=0, caption=None, number=0):
    body = picture(path, still)
    text = f'<text x="{WIDTH / 2}" y="{HEIGHT + 26}">{html.escape(caption)}</text>' if caption else ""
    return (f'<g transform="translate({x} 0)"><clipPath id="c{number}"><rect width="{WIDTH}" height="{HEIGHT}" rx="8"/></clipPath>'
            f'<g clip-path="url(#c{number})"><rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>\n{body}</g>{text}</g>')


def document(paths, still, captions):
    gap = 12
    width = len(paths) * (WIDTH + gap) - gap
    height = HEIGHT + (34 if captions else 0)
    label = ", ".join(p.stem.replace("_", " ") for p in paths)
    panels = "\n".join(panel(p, still, i * (WIDTH + gap), p.stem.replace("_", " ") if captions else None, i)
                       for i, p in enumerate(paths))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(label)}">'
            f"<style>{STYLE}</style>\n{panels}\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--still", action="store_true", help="one moment instead of the motion")
    parser.add_argument("--strip", action="store_true", help="several models side by side, with their names")
    arguments = parser.parse_args()
    if len(arguments.model) > 1 and not arguments.strip:
        parser.error("several models need --strip")
    arguments.output.write_text(document(arguments.model, arguments.still, arguments.strip))


if __name__ == "__main__":
    main()
