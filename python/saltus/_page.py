"""How a run shows itself in a notebook: the mechanism in motion, costs, gradients, events."""
import html
import itertools
import json

import numpy as np

from ._library import ffi, guarded, lib, text

_count = itertools.count()
FRAMES = 240
SHAPES = {i: text(lib.saltus_shape_name(i)) for i in range(lib.SALTUS_SHAPES)}


def drawing(run, frames=FRAMES):
    """The shapes of a run (kind, name, which values its numbers are), and their numbers in each frame."""
    raw = lib.saltus_drawing_new(run._system.raw, run._error.raw)
    run._error.check()
    raw = ffi.gc(raw, lib.saltus_drawing_free)
    infos = [lib.saltus_drawing_shape(raw, i) for i in range(lib.saltus_drawing_shapes(raw))]
    shapes = [{"shape": SHAPES[s.shape], "name": text(s.name), "value": [s.value[k] for k in range(s.count)],
               "modes": {run._system.modes[s.mode[k]] for k in range(s.modes)}} for s in infos]
    values, rows = np.empty(max(lib.saltus_drawing_ops(raw), 1)), []
    values_pointer = ffi.from_buffer("double *", values)

    def row(_context, r):
        lib.saltus_drawing_compute(raw, r, run._pointer, values_pointer)
        active = set((text(r.mode) or "").split(" + "))
        rows.append((r.t, [None if s["modes"] and not s["modes"] & active else
                           [float(f"{v:.5g}") if np.isfinite(v) else None for v in values[s["value"]].tolist()]
                           for s in shapes]))
        return 0

    times = np.linspace(run.start_time, run.t, frames)
    lib.saltus_run_trajectory(run._raw, ffi.from_buffer("double *", times), frames,
                              guarded("saltus_row_function", row), ffi.NULL, run._error.raw)
    run._error.check()
    return shapes, rows


def show(run):
    """HTML for notebooks."""
    parts = [f"<p><b>{html.escape(run._system.name or 'model')}</b>: {html.escape(run.outcome)} at t = {run.t:.6g}, "
             f"{run._info.events} events, {run._info.steps} steps</p>"]
    if run.message:
        parts.append(f"<p>{html.escape(run.message)}</p>")
    shapes, rows = drawing(run)
    if shapes and rows:
        data = json.dumps({"kinds": [s["shape"] for s in shapes], "t": [r[0] for r in rows], "rows": [r[1] for r in rows]},
                          separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
        parts.append(PAGE.replace("NUMBER", f"{next(_count)}").replace("DATA", data))
    parts.append(_tables(run))
    return "".join(parts)


def _tables(run):
    from .errors import SaltusError
    head, lines = ["cost", "value"], [[c, f"{v:.8g}"] for c, v in zip(run._system.costs, run.costs.tolist())]
    if not lines:
        return ""
    try:
        gradient = run.gradient
        if gradient.shape[1] <= 12:
            head += [f"by {p}" for p in gradient.axes[1]]
            lines = [line + [f"{g:.6g}" for g in row] for line, row in zip(lines, np.asarray(gradient).tolist())]
    except SaltusError as failure:
        return _table(head, lines) + f"<p>{html.escape(failure.message)}</p>"
    return _table(head, lines)


def _table(head, lines):
    def row(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"
    return f"<table>{row('th', head)}{''.join(row('td', line) for line in lines)}</table>"


PAGE = """
<div id="saltus-NUMBER"><canvas width="560" height="320" style="max-width:100%;border:1px solid #ccc"></canvas>
<div><button type="button">pause</button> <input type="range" min="0" value="0" style="width:360px">
<span></span></div></div>
<script>(function () {
"use strict";
const data = DATA, box = document.getElementById("saltus-NUMBER"), canvas = box.querySelector("canvas");
const button = box.querySelector("button"), slider = box.querySelector("input"), label = box.querySelector("span");
const g = canvas.getContext("2d"), {kinds, t, rows} = data;
slider.max = t.length - 1;
// how many leading numbers of a shape are points; the rest are angles and lengths
const ends = {body: 2, circle: 2, ring: 2, contact: 2, coil: 2, motor: 2, gear: 2};
const pairs = (k, v) => { const p = []; for (let i = 0; i + 1 < Math.min(v.length, ends[k] || v.length); i += 2)
  p.push([v[i], v[i + 1]]); return p; };
let lo = [Infinity, Infinity], hi = [-Infinity, -Infinity];
for (const row of rows) row.forEach((v, i) => { if (v && kinds[i] !== "floor" && !v.includes(null))
  for (const p of pairs(kinds[i], v)) for (const k of [0, 1]) {
    const r = ["circle", "ring", "gear"].includes(kinds[i]) ? v[2] : 0;
    lo[k] = Math.min(lo[k], p[k] - r); hi[k] = Math.max(hi[k], p[k] + r); } });
const span = Math.max((hi[0] - lo[0]) / 520, (hi[1] - lo[1]) / 280, 1e-6);
const X = x => 280 + (x - (lo[0] + hi[0]) / 2) / span, Y = y => 160 - (y - (lo[1] + hi[1]) / 2) / span;
function path(points) { g.beginPath(); points.forEach((p, i) => i ? g.lineTo(X(p[0]), Y(p[1])) : g.moveTo(X(p[0]), Y(p[1])));
  g.stroke(); }
function dot(p, r, fill) { g.beginPath(); g.arc(X(p[0]), Y(p[1]), r, 0, 7); g.fillStyle = fill; g.fill(); }
function zigzag(a, b) { const d = [b[0] - a[0], b[1] - a[1]], n = Math.hypot(d[0], d[1]) || 1, w = 6 * span, q = [a];
  for (let i = 0; i < 12; i++) { const s = (i + 0.5) / 12, o = (i % 2 ? -w : w) / n;
    q.push([a[0] + d[0] * s - d[1] * o, a[1] + d[1] * s + d[0] * o]); } q.push(b); path(q); }
const traces = {};
function shape(kind, v, i) {
  const p = pairs(kind, v);
  g.setLineDash([]); g.strokeStyle = "#333"; g.lineWidth = 2;
  if (kind === "spring") { g.strokeStyle = "#2a7"; g.lineWidth = 1.5; zigzag(p[0], p[1]); }
  else if (kind === "bar" || kind === "arm") { g.lineWidth = 4; g.strokeStyle = "#357"; path(p); }
  else if (kind === "rod" || kind === "line") path(p);
  else if (kind === "damper" || kind === "dashed" || kind === "slot") { g.setLineDash([5, 4]); g.lineWidth = 1; path(p); }
  else if (kind === "floor" || kind === "ground" || kind === "edge") { g.strokeStyle = "#a63";
    const d = [p[1][0] - p[0][0], p[1][1] - p[0][1]], far = 2000 * span / (Math.hypot(d[0], d[1]) || 1);
    path(kind === "floor" ? [[p[0][0] - d[0] * far, p[0][1] - d[1] * far], [p[0][0] + d[0] * far, p[0][1] + d[1] * far]] : p); }
  else if (["circle", "ring", "gear"].includes(kind)) { g.lineWidth = 1.5; g.beginPath();
    if (kind === "gear") g.setLineDash([10, 3, 2, 3]);
    g.arc(X(v[0]), Y(v[1]), Math.abs(v[2] / span), 0, 7); g.stroke();
    if (v.length > 3) path([[v[0], v[1]], [v[0] + v[2] * Math.cos(v[3]), v[1] + v[2] * Math.sin(v[3])]]); }
  else if (kind === "body") { dot(p[0], 5, "#357"); g.lineWidth = 1;
    path([p[0], [v[0] + 14 * span * Math.cos(v[2]), v[1] + 14 * span * Math.sin(v[2])]]); }
  else if (kind === "point" || kind === "pin") dot(p[0], 4, "#c33");
  else if (kind === "fixed") { g.fillStyle = "#333"; g.fillRect(X(v[0]) - 5, Y(v[1]) - 5, 10, 10); }
  else if (kind === "trace") { (traces[i] = traces[i] || []).push(p[0]); g.lineWidth = 1; g.strokeStyle = "#999"; path(traces[i]); }
}
let k = 0, playing = true;
function draw() { g.clearRect(0, 0, 560, 320); if (k === 0) for (const i in traces) traces[i] = [];
  rows[k].forEach((v, i) => { if (v && !v.includes(null)) shape(kinds[i], v, i); });
  slider.value = k; label.textContent = "t = " + t[k].toPrecision(4); }
button.onclick = () => { playing = !playing; button.textContent = playing ? "pause" : "play"; };
slider.oninput = () => { playing = false; button.textContent = "play"; k = +slider.value; draw(); };
const timer = setInterval(() => { if (!document.body.contains(box)) { clearInterval(timer); return; }
  if (playing) { k = (k + 1) % rows.length; draw(); } }, 30);
draw();
})();</script>
"""
