// A plot drawn anew for a file or for paper: axes with titles, events as marks, the curves, a legend.
import {formatNumber, niceStep, withUnit} from "./format.js";
import {colour, palette} from "./theme.js";

const inset = {left: 64, right: 16, top: 30, bottom: 42}, rowHeight = 18;

function boundsOf(plot, columns, rows) {
  let low = Infinity, high = -Infinity;
  for (const column of columns)
    for (const i of rows) {
      const v = column[i];
      if (Number.isFinite(v) && (!plot.log || v > 0)) low = Math.min(low, v), high = Math.max(high, v);
    }
  if (!(high >= low)) return [plot.log ? 0.1 : -1, 1];
  if (plot.log) return [low / 2, high * 2];
  const pad = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
  return [low - pad, high + pad];
}

function ticksOf(low, high, count, log) {
  const list = [];
  if (log) {
    const first = Math.ceil(Math.log10(low)), last = Math.floor(Math.log10(high)), step = Math.max(1, Math.ceil((last - first) / count));
    for (let e = first; e <= last; e += step) list.push(10 ** e);
    return list;
  }
  const step = niceStep(high - low, count);
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step; v += step) list.push(Math.abs(v) < step / 1e6 ? 0 : v);
  return list;
}

// Names of the curves side by side, in as many rows as they need: [{x, row, ...}].
function legendOf(g, series, width) {
  let x = inset.left, row = 0;
  return series.map(({name, unit, ink}) => {
    const text = withUnit(name, unit), wide = g.measureText(text).width + 36;
    if (x + wide > width - inset.right && x > inset.left) x = inset.left, row++;
    const at = x;
    x += wide;
    return {text, ink, x: at, row};
  });
}

// plot: {title, unit, log}; series: [{name, unit, column, dashed, ink}] that are shown.
export function drawPlot(g, width, height, data, plot, series, window, time) {
  const {motion} = data, [from, to] = window || [data.start, data.end];
  const rows = Array.from(motion.t.keys()).filter((i) => motion.t[i] >= from && motion.t[i] <= to);
  const breaks = new Set(motion.events.map(([, after]) => after));
  const [low, high] = boundsOf(plot, series.flatMap((s) => [s.column, s.dashed].filter(Boolean)), rows);
  const scaled = (v) => (plot.log ? Math.log(v) : v);
  g.fillStyle = colour("panel");
  g.fillRect(0, 0, width, height);
  g.font = "12px system-ui, sans-serif";
  const legend = legendOf(g, series, width), bottom = inset.bottom + rowHeight * (legend.length ? legend.at(-1).row + 1 : 0);
  const x = (t) => inset.left + (to > from ? (t - from) / (to - from) : 0) * (width - inset.left - inset.right);
  const y = (v) => inset.top + (scaled(high) - scaled(v)) / (scaled(high) - scaled(low) || 1) * (height - inset.top - bottom);
  const line = (points, ink, thick, dash = []) => {
    g.strokeStyle = ink;
    g.lineWidth = thick;
    g.lineJoin = "round";
    g.setLineDash(dash);
    g.beginPath();
    points.forEach((p, i) => (i ? g.lineTo(...p) : g.moveTo(...p)));
    g.stroke();
    g.setLineDash([]);
  };
  g.fillStyle = colour("muted");
  for (const v of ticksOf(low, high, (height - inset.top - bottom) / 40, plot.log)) {
    line([[inset.left, y(v)], [width - inset.right, y(v)]], colour("grid"), 1);
    g.textAlign = "right";
    g.textBaseline = "middle";
    g.fillText(formatNumber(v, 4), inset.left - 8, y(v));
  }
  for (const t of ticksOf(from, to, (width - inset.left - inset.right) / 80, false)) {
    line([[x(t), inset.top], [x(t), height - bottom]], colour("grid"), 1);
    g.textAlign = "center";
    g.textBaseline = "top";
    g.fillText(formatNumber(t, 5), x(t), height - bottom + 6);
  }
  if (data.events.length <= 400)
    for (const {time: at} of data.events)
      if (at >= from && at <= to) line([[x(at), inset.top], [x(at), height - bottom]], colour("event"), 1, [2, 3]);
  const curve = (column, ink, thick, dash) => {
    let points = [];
    const flush = () => (points.length > 1 && line(points, ink, thick, dash), points = []);
    for (const i of rows) {
      if (breaks.has(i)) flush();
      if (Number.isFinite(column[i]) && (!plot.log || column[i] > 0)) points.push([x(motion.t[i]), y(column[i])]);
      else flush();
    }
    flush();
  };
  for (const s of series) {
    curve(s.column, s.ink, 1.5, []);
    if (s.dashed) curve(s.dashed, s.ink, 1.2, [5, 4]);
  }
  g.fillStyle = colour("ink");
  g.textAlign = "left";
  g.textBaseline = "middle";
  g.font = "600 13px system-ui, sans-serif";
  g.fillText(withUnit(plot.title, plot.unit), inset.left, 15);
  g.font = "12px system-ui, sans-serif";
  g.textAlign = "right";
  g.fillText(time, width - inset.right, height - bottom + 30);
  g.textAlign = "left";
  for (const {text, ink, x: left, row} of legend) {
    const at = height - bottom + inset.bottom + rowHeight * (row + 0.2);
    line([[left, at], [left + 14, at]], ink, 3);
    g.fillStyle = colour("ink");
    g.fillText(text, left + 20, at);
  }
}

export const inkOf = (i) => palette()[i % 8];
