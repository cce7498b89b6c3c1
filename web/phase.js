// Phase portraits: velocity over position of each coordinate, for models that draw nothing and whose coordinates
// have no direction.
import {formatNumber, niceStep, withUnit} from "./format.js";
import {motionName} from "./names.js";
import {colour} from "./theme.js";

const most = 4;

const rangeOf = (column) => {
  let low = Infinity, high = -Infinity;
  for (const v of column) if (Number.isFinite(v)) low = Math.min(low, v), high = Math.max(high, v);
  if (!(high >= low)) return [-1, 1];
  const pad = 0.08 * (high - low) || 1;
  return [low - pad, high + pad];
};

function drawOne(g, data, index, state, ghost, {left, top, width, height}, small) {
  const {motion, model} = data, c = model.coordinates[index];
  // A state is the velocity of its coordinate: its rate is plotted over it.
  const kinds = c.state ? ["velocity", "acceleration"] : ["position", "velocity"];
  const [across, up] = kinds.map((kind) => motion.values[kind][index]);
  const [[x0, x1], [y0, y1]] = [rangeOf(across), rangeOf(up)];
  const inset = small ? {left: 6, right: 6, top: 6, bottom: 6} : {left: 52, right: 14, top: 26, bottom: 34};
  const w = width - inset.left - inset.right, h = height - inset.top - inset.bottom;
  const x = (v) => left + inset.left + (v - x0) / (x1 - x0) * w, y = (v) => top + inset.top + (y1 - v) / (y1 - y0) * h;
  const line = (points) => {
    g.beginPath();
    points.forEach(([px, py], i) => (i ? g.lineTo(px, py) : g.moveTo(px, py)));
    g.stroke();
  };
  g.lineWidth = 1;
  g.font = "11px system-ui, sans-serif";
  for (const [low, high, count, vertical] of [[x0, x1, w / 80, true], [y0, y1, h / 45, false]]) {
    const step = niceStep(high - low, Math.max(2, count));
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
      g.strokeStyle = colour("grid");
      line(vertical ? [[x(v), top + inset.top], [x(v), top + inset.top + h]] : [[left + inset.left, y(v)], [left + inset.left + w, y(v)]]);
      if (small) continue;
      g.fillStyle = colour("muted");
      g.textAlign = vertical ? "center" : "right";
      g.textBaseline = vertical ? "top" : "middle";
      const text = formatNumber(Math.abs(v) < step / 1e6 ? 0 : v, 4);
      g.fillText(text, vertical ? x(v) : left + inset.left - 6, vertical ? top + inset.top + h + 5 : y(v));
    }
  }
  if (!small) {
    g.fillStyle = colour("ink");
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillText(motionName(c, c.state ? 2 : 1), left + inset.left, top + 13);
    g.textAlign = "right";
    g.fillText(withUnit(motionName(c, c.state ? 1 : 0), c.unit), left + width - inset.right, top + height - 9);
  }
  // One stretch between events after the other; jumps at events are dashed.
  const starts = [0, ...motion.events.map(([, after]) => after).filter((row) => row > 0), motion.rows];
  const stretch = (from, to, until) => {
    const points = [];
    for (let i = from; i < to && motion.t[i] <= until; i++) points.push([x(across[i]), y(up[i])]);
    if (points.length > 1) line(points);
  };
  for (const [style, thick, until] of [[colour("trace-faint"), 1, Infinity], [colour("trace"), 1.75, state.t]]) {
    g.strokeStyle = style;
    g.lineWidth = thick;
    for (let s = 0; s + 1 < starts.length; s++) {
      stretch(starts[s], starts[s + 1], until);
      const after = starts[s + 1];
      if (after >= motion.rows || motion.t[after] > until) continue;
      g.setLineDash([3, 4]);
      line([[x(across[after - 1]), y(up[after - 1])], [x(across[after]), y(up[after])]]);
      g.setLineDash([]);
    }
  }
  const spot = (at, fill, stroke) => {
    g.beginPath();
    g.arc(x(c.state ? at.v[index] : at.q[index]), y(c.state ? at.a[index] : at.v[index]), small ? 4 : 6, 0, 2 * Math.PI);
    g.fillStyle = fill;
    g.fill();
    g.strokeStyle = stroke;
    g.lineWidth = 2;
    g.stroke();
  };
  if (ghost) spot(ghost, colour("ghost-soft"), colour("ghost"));
  spot(state, colour("bar"), colour("stage"));
}

export function drawPhases(g, data, state, ghost, width, height, small) {
  const count = Math.min(most, data.model.coordinates.length), columns = count > 1 ? 2 : 1, rows = Math.ceil(count / columns);
  for (let i = 0; i < count; i++)
    drawOne(g, data, i, state, ghost, {left: (i % columns) * width / columns, top: Math.floor(i / columns) * height / rows, width: width / columns, height: height / rows}, small);
}
