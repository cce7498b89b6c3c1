// Draws the mechanism on a canvas: shapes are computed by the drawing's steps, for the motion and for
// a prediction of it (the ghost). Lengths in the drawing are the model's; widths of lines are pixels.
import {niceStep, formatNumber} from "./format.js";
import {makeReactions} from "./reactions.js";
import {activeModes, isActive, modeAt, placeAt, valueAt} from "./series.js";
import {compileSteps} from "./tape.js";
import {colour} from "./theme.js";

const endless = new Set(["floor", "slot"]);

// Arms to points that only say where a slot goes are no part of the body.
function withoutDirections(shapes) {
  const slots = new Set(), used = new Set();
  for (const {shape, numbers} of shapes) {
    if (shape === "arm") continue;
    for (let i = 0; i + 1 < numbers.length; i += 2)
      (shape === "slot" ? slots : used).add(`${numbers[i]} ${numbers[i + 1]}`);
  }
  return shapes.filter(({shape, numbers}) => {
    const end = `${numbers[2]} ${numbers[3]}`;
    return shape !== "arm" || used.has(end) || !slots.has(end);
  });
}

// Elements that meet in a point draw it twice.
function withoutRepeats(shapes) {
  const seen = new Set();
  return shapes.filter((shape) => {
    const key = JSON.stringify([shape.shape, shape.numbers, shape.modes]);
    return !seen.has(key) && seen.add(key);
  });
}

// Of these, the first two numbers are a point, and the others are not.
const atPoint = new Set(["body", "ring", "circle", "coil", "motor", "contact"]);

// A motor or a torsion spring of a body is where the body is pinned: to the other body, or to the ground.
function atPins(shapes, values) {
  const place = ({numbers: [x, y]}) => [values[x], values[y]];
  const grounds = shapes.filter((s) => s.shape === "fixed").map(place);
  const pinned = shapes.filter((s) => s.shape === "pin");
  const pointsOn = (x, y) => [[x, y], ...shapes.filter((s) => s.shape === "arm" && s.numbers[0] === x && s.numbers[1] === y).map((s) => s.numbers.slice(2))];
  return shapes.map((shape) => {
    if (shape.shape !== "motor" && shape.shape !== "coil") return shape;
    const [x, y, ...angles] = shape.numbers;
    const other = shapes.find((s) => s.shape === "body" && s.numbers[2] === angles[0] && s.numbers[0] !== x);
    const theirs = other ? pointsOn(...other.numbers).map((numbers) => place({numbers})) : grounds;
    const distance = ([px, py]) => Math.min(Infinity, ...theirs.map(([gx, gy]) => Math.hypot(values[px] - gx, values[py] - gy)));
    const isPin = ([px, py]) => other || pinned.some(({numbers}) => numbers[0] === px && numbers[1] === py);
    const best = pointsOn(x, y).filter(isPin).sort((a, b) => distance(a) - distance(b))[0] || [x, y];
    return {...shape, numbers: [...best, ...angles]};
  });
}

const pointsOf = ({shape, numbers}, values) => {
  const count = atPoint.has(shape) ? 2 : numbers.length;
  const points = [];
  for (let i = 0; i + 1 < count; i += 2) points.push([values[numbers[i]], values[numbers[i + 1]]]);
  return points;
};

// ---- lines of their own shape --------------------------------------------------------------------

function polyline(g, points) {
  g.beginPath();
  points.forEach(([x, y], i) => (i ? g.lineTo(x, y) : g.moveTo(x, y)));
}

function zigzag(g, [ax, ay], [bx, by]) {
  const length = Math.hypot(bx - ax, by - ay);
  if (length < 1) return;
  const ux = (bx - ax) / length, uy = (by - ay) / length;
  const lead = Math.min(12, length / 5), coils = 12, width = 7;
  g.beginPath();
  g.moveTo(ax, ay);
  g.lineTo(ax + ux * lead, ay + uy * lead);
  for (let i = 0; i < 2 * coils; i++) {
    const along = lead + (length - 2 * lead) * (i + 0.5) / (2 * coils), side = i % 2 ? -width : width;
    g.lineTo(ax + ux * along - uy * side, ay + uy * along + ux * side);
  }
  g.lineTo(bx - ux * lead, by - uy * lead);
  g.lineTo(bx, by);
  g.stroke();
}

// `aside` of a spring between the same points.
function dashpot(g, [ax, ay], [bx, by], aside) {
  const length = Math.hypot(bx - ax, by - ay);
  if (length < 1) return;
  g.save();
  g.translate(ax, ay);
  g.rotate(Math.atan2(by - ay, bx - ax));
  const m = length / 2, w = Math.min(18, length / 4);
  g.beginPath();
  g.moveTo(0, 0);
  g.translate(0, aside);
  g.lineTo(Math.abs(aside), 0), g.lineTo(m, 0);
  g.moveTo(m, -5), g.lineTo(m, 5);
  g.moveTo(m + w, -8), g.lineTo(m - w / 2, -8);
  g.moveTo(m + w, 8), g.lineTo(m - w / 2, 8);
  g.moveTo(m + w, -8), g.lineTo(m + w, 8);
  g.moveTo(m + w, 0), g.lineTo(length - Math.abs(aside), 0);
  g.translate(0, -aside);
  g.lineTo(length, 0);
  g.stroke();
  g.restore();
}

// A spiral from one angle to the other, with enough turns to look like a spring.
function spiral(g, [x, y], from, to) {
  const inner = 3, outer = 12, turns = 2;
  const sweep = 2 * Math.PI * turns + ((to - from) % (2 * Math.PI));
  g.beginPath();
  for (let i = 0; i <= 60; i++) {
    const a = from + sweep * i / 60, r = inner + (outer - inner) * i / 60;
    g[i ? "lineTo" : "moveTo"](x + r * Math.cos(a), y - r * Math.sin(a));
  }
  g.stroke();
}

// The ground is on the right of a line whose free side is on its left; y goes down on the screen.
function hatched(g, a, b, ink, hatch) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (length < 1) return;
  const ux = (b[0] - a[0]) / length, uy = (b[1] - a[1]) / length;
  g.strokeStyle = hatch;
  g.lineWidth = 1;
  g.beginPath();
  for (let s = 4; s < length; s += 9) {
    const x = a[0] + ux * s, y = a[1] + uy * s;
    g.moveTo(x, y);
    g.lineTo(x - uy * 9 - ux * 6, y + ux * 9 - uy * 6);
  }
  g.stroke();
  g.strokeStyle = ink;
  g.lineWidth = 2;
  polyline(g, [a, b]);
  g.stroke();
}

// Through a and b, beyond both.
function lengthened([ax, ay], [bx, by], reach) {
  const length = Math.hypot(bx - ax, by - ay);
  if (!(length > 0)) return [[ax, ay], [bx, by]];
  const ux = (bx - ax) / length * reach, uy = (by - ay) / length * reach;
  return [[ax - ux, ay - uy], [ax + ux, ay + uy]];
}

function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1) {
        const [a, b] = out.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        out.pop();
      }
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// ---- the scene -----------------------------------------------------------------------------------

export function makeScene(data) {
  const {motion, model} = data;
  const compute = compileSteps(data.drawing.steps);
  const params = model.params.map((p) => p.value);
  const counts = [model.coordinates.length, model.memories.length];

  const stateAt = (t) => {
    const place = placeAt(motion.t, t);
    const read = (kind, n) => Array.from({length: n}, (_, i) => valueAt(motion.values[kind][i], place));
    return {t, q: read("position", counts[0]), v: read("velocity", counts[0]),
      c: read("memory", counts[1]), p: params, row: place.row, place};
  };
  const predictedAt = (prediction, t) => {
    const read = (kind, n) => Array.from({length: n}, (_, i) => prediction.value(kind, i, t));
    const p = [...params];
    data.wrt.forEach((param, k) => (p[param.index] += data.change[k]));
    return {t, q: read("position", counts[0]), v: read("velocity", counts[0]),
      c: read("memory", counts[1]), p, row: prediction.place(t).row};
  };
  const drawn = withoutRepeats(withoutDirections(data.drawing.shapes));
  const shapes = motion.rows ? atPins(drawn, compute(stateAt(data.start))) : drawn;
  const visible = (row) => {
    const active = activeModes(modeAt(motion.modes, row), model.modes);
    return shapes.filter((s) => isActive(s.modes, active, model.modes));
  };

  const reactions = motion.rows ? makeReactions(data, shapes) : {any: false};

  // What the motion covers, and the paths of what leaves a trace.
  const traced = shapes.some((s) => s.shape === "trace")
    ? shapes.filter((s) => s.shape === "trace")
    : shapes.filter((s) => (s.shape === "point" && s.name) || s.shape === "body").slice(0, 12);
  const paths = traced.map((shape) => ({shape, points: []}));
  const box = {left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity};
  const cover = (x, y) => {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    box.left = Math.min(box.left, x), box.right = Math.max(box.right, x);
    box.bottom = Math.min(box.bottom, y), box.top = Math.max(box.top, y);
  };
  function survey() {
    const step = Math.max(1, Math.floor(motion.rows / 600));
    const rows = new Set(motion.events.flat());
    for (let i = 0; i < motion.rows; i += step) rows.add(i);
    rows.add(motion.rows - 1);
    for (const row of [...rows].sort((a, b) => a - b)) {
      const at = {row, part: 0};
      const read = (kind, n) => Array.from({length: n}, (_, i) => valueAt(motion.values[kind][i], at));
      const values = compute({t: motion.t[row], q: read("position", counts[0]),
        v: read("velocity", counts[0]), c: read("memory", counts[1]), p: params});
      for (const shape of visible(row)) {
        if (endless.has(shape.shape)) continue;
        const points = pointsOf(shape, values);
        const r = shape.shape === "circle" || shape.shape === "ring" ? values[shape.numbers[2]] : 0;
        for (const [x, y] of points) cover(x - r, y - r), cover(x + r, y + r);
      }
      paths.forEach(({shape, points}) => points.push([motion.t[row], ...pointsOf(shape, values)[0]]));
    }
    // Of a floor, the piece below what moves.
    const values = compute(stateAt(data.start));
    for (const shape of shapes.filter((s) => s.shape === "floor")) {
      const [[ax, ay], [bx, by]] = pointsOf(shape, values);
      const length2 = (bx - ax) ** 2 + (by - ay) ** 2;
      const cx = (box.left + box.right) / 2, cy = (box.bottom + box.top) / 2;
      const s = length2 > 0 ? ((cx - ax) * (bx - ax) + (cy - ay) * (by - ay)) / length2 : 0;
      cover(ax + s * (bx - ax), ay + s * (by - ay));
    }
    if (!Number.isFinite(box.left)) Object.assign(box, {left: -1, right: 1, bottom: -1, top: 1});
    const size = Math.max(box.right - box.left, box.top - box.bottom) || 1;
    const grow = (low, high, least) => {
      const missing = Math.max(0, least - (box[high] - box[low])) / 2;
      box[low] -= missing, box[high] += missing;
    };
    grow("left", "right", 0.25 * size);
    grow("bottom", "top", 0.25 * size);
  }
  if (shapes.length && motion.rows) survey();

  // ---- one picture

  function fit(width, height) {
    const margin = 36;
    const scale = Math.min((width - 2 * margin) / (box.right - box.left),
      (height - 2 * margin) / (box.top - box.bottom));
    const cx = (box.left + box.right) / 2, cy = (box.bottom + box.top) / 2;
    return {scale, point: ([x, y]) => [width / 2 + (x - cx) * scale, height / 2 - (y - cy) * scale],
      left: cx - width / 2 / scale, right: cx + width / 2 / scale,
      bottom: cy - height / 2 / scale, top: cy + height / 2 / scale};
  }

  function drawGrid(g, view, width, height) {
    const step = niceStep(width / view.scale, width / 90);
    g.strokeStyle = colour("grid");
    g.fillStyle = colour("muted");
    g.lineWidth = 1;
    g.font = "11px system-ui, sans-serif";
    g.textBaseline = "alphabetic";
    for (let x = Math.ceil(view.left / step) * step; x <= view.right; x += step) {
      const [px] = view.point([x, 0]);
      polyline(g, [[px, 0], [px, height]]);
      g.stroke();
      g.textAlign = "center";
      if (px > 24 && px < width - 24) g.fillText(formatNumber(Math.abs(x) < step / 1e6 ? 0 : x, 4), px, height - 5);
    }
    for (let y = Math.ceil(view.bottom / step) * step; y <= view.top; y += step) {
      const [, py] = view.point([0, y]);
      polyline(g, [[0, py], [width, py]]);
      g.stroke();
      g.textAlign = "left";
      if (py < height - 16) g.fillText(formatNumber(Math.abs(y) < step / 1e6 ? 0 : y, 4), 5, py - 3);
    }
  }

  function drawPaths(g, view, t) {
    g.lineJoin = "round";
    for (const {points} of paths) {
      const screen = points.filter((p) => Number.isFinite(p[1] + p[2]));
      g.lineWidth = 1;
      g.strokeStyle = colour("trace-faint");
      polyline(g, screen.map((p) => view.point([p[1], p[2]])));
      g.stroke();
      g.lineWidth = 1.5;
      g.strokeStyle = colour("trace");
      polyline(g, screen.filter((p) => p[0] <= t).map((p) => view.point([p[1], p[2]])));
      g.stroke();
    }
  }

  function drawBodies(g, view, list, values, ink) {
    for (const body of list.filter((s) => s.shape === "body")) {
      const [x, y] = body.numbers;
      const arms = list.filter((s) => s.shape === "arm" && s.numbers[0] === x && s.numbers[1] === y);
      const centre = view.point([values[x], values[y]]);
      const corners = hull([centre, ...arms.map((s) =>
        view.point([values[s.numbers[2]], values[s.numbers[3]]]))]);
      g.lineJoin = g.lineCap = "round";
      g.fillStyle = g.strokeStyle = ink.body;
      if (corners.length > 1) {
        g.lineWidth = 13;
        polyline(g, [...corners, corners[0]]);
        g.stroke();
        g.fill();
      } else {
        g.save();
        g.translate(...centre);
        g.rotate(-values[body.numbers[2]]);
        g.fillRect(-13, -9, 26, 18);
        g.restore();
      }
      // Centre and direction.
      g.strokeStyle = ink.line;
      g.lineWidth = 1.5;
      const a = values[body.numbers[2]];
      polyline(g, [centre, [centre[0] + 12 * Math.cos(a), centre[1] - 12 * Math.sin(a)]]);
      g.stroke();
      dot(g, centre, 2.5, ink.line);
    }
  }

  function dot(g, [x, y], radius, fill, stroke) {
    g.beginPath();
    g.arc(x, y, radius, 0, 2 * Math.PI);
    g.fillStyle = fill;
    g.fill();
    if (!stroke) return;
    g.strokeStyle = stroke;
    g.lineWidth = 2;
    g.stroke();
  }

  function drawSupport(g, [x, y], ink) {
    g.beginPath();
    g.moveTo(x, y), g.lineTo(x - 9, y + 14), g.lineTo(x + 9, y + 14), g.closePath();
    g.fillStyle = ink.paper;
    g.fill();
    g.strokeStyle = ink.ground;
    g.lineWidth = 1.5;
    g.stroke();
    hatched(g, [x - 12, y + 14], [x + 12, y + 14], ink.ground, ink.hatch);
  }

  const painters = {
    floor(g, p, ink) { hatched(g, ...lengthened(p[0], p[1], 4000), ink.ground, ink.hatch); },
    ground(g, p, ink) {
      for (let i = 0; i + 1 < p.length; i++) hatched(g, p[i], p[i + 1], ink.ground, ink.hatch);
    },
    edge(g, p, ink) { hatched(g, p[0], p[1], ink.ground, ink.hatch); },
    // A piece of the surface, and how far it is.
    gap(g, [p, s], ink) {
      const length = Math.hypot(p[0] - s[0], p[1] - s[1]) || 1;
      const ux = (p[1] - s[1]) / length * 22, uy = -(p[0] - s[0]) / length * 22;
      stroke(g, [p, s], ink.hatch, 1, [3, 4]);
      if (length > 1) hatched(g, [s[0] + ux, s[1] + uy], [s[0] - ux, s[1] - uy], ink.ground, ink.hatch);
    },
    slot(g, p, ink) { stroke(g, lengthened(p[0], p[1], 4000), ink.hatch, 1, [3, 5]); },
    bar(g, p, ink) { stroke(g, p, ink.bar, 7), stroke(g, p, ink.barLight, 3.5); },
    rod(g, p, ink) { stroke(g, p, ink.bar, 3); },
    line(g, p, ink) { stroke(g, p, ink.line, 2); },
    dashed(g, p, ink) { stroke(g, p, ink.line, 1.5, [5, 5]); },
    spring(g, p, ink) { each(g, p, ink.spring, zigzag); },
    damper(g, p, ink, shape) { each(g, p, ink.spring, dashpot, beside.has(String(shape.numbers)) ? 20 : 0); },
    pin(g, p, ink) { dot(g, p[0], 4, ink.paper, ink.line); },
    point(g, p, ink, shape) { dot(g, p[0], !shape.name || crowded ? 3 : 5, ink.point, ink.paper); },
    trace(g, p, ink) { dot(g, p[0], 2.5, ink.point); },
  };
  function stroke(g, points, style, width, dash = []) {
    g.strokeStyle = style;
    g.lineWidth = width;
    g.lineCap = dash.length ? "butt" : "round";
    g.lineJoin = "round";
    g.setLineDash(dash);
    polyline(g, points);
    g.stroke();
    g.setLineDash([]);
  }
  const crowded = shapes.filter((s) => s.shape === "point").length > 24;
  const beside = new Set(shapes.filter((s) => s.shape === "spring").map((s) => String(s.numbers)));
  function each(g, points, style, draw, aside) {
    g.strokeStyle = style;
    g.lineWidth = 1.75;
    g.lineJoin = "round";
    for (let i = 0; i + 1 < points.length; i++) draw(g, points[i], points[i + 1], aside);
  }

  const order = ["floor", "ground", "edge", "ring", "slot", "gap", "fixed", "spring", "damper", "bodies",
    "bar", "rod", "dashed", "line", "circle", "motor", "coil", "pin", "trace", "point", "contact"];

  const nearby = () => 0.06 * Math.max(box.right - box.left, box.top - box.bottom);

  // forces: how long the arrow of a usual reaction is, 0: contacts are not shown.
  function drawShapes(g, view, state, ink, labels, forces) {
    const values = compute(state);
    const list = visible(state.row), supports = [];
    for (const kind of order) {
      if (kind === "pin") supports.forEach((p) => dot(g, p, 4, ink.paper, ink.line));
      if (kind === "bodies") drawBodies(g, view, list, values, ink);
      for (const shape of list.filter((s) => s.shape === kind)) {
        const points = pointsOf(shape, values).map(view.point);
        if (!points.every(([x, y]) => Number.isFinite(x + y))) continue;
        if (kind === "fixed") supports.push(points[0]), drawSupport(g, points[0], ink);
        else if (kind === "motor") drawMotor(g, points[0], values[shape.numbers[2]], ink);
        else if (kind === "coil") {
          stroke(g, [], ink.spring, 1.75);
          spiral(g, points[0], values[shape.numbers[2]], values[shape.numbers[3]]);
        } else if (kind === "circle" || kind === "ring") drawCircle(g, view, shape, values, points[0], ink);
        else if (kind !== "contact") painters[kind](g, points, ink, shape);
      }
    }
    if (forces) reactions.draw(g, view, reactions.at(state.t, state.place, values, list), nearby(), forces, ink.paper);
    if (labels) drawNames(g, view, list, values, ink);
  }

  // A ring around its shaft, with a mark that turns.
  function drawMotor(g, [x, y], angle, ink) {
    g.beginPath();
    g.arc(x, y, 20, 0, 2 * Math.PI);
    g.fillStyle = ink.paper;
    g.fill();
    g.strokeStyle = ink.motor;
    g.lineWidth = 3;
    g.stroke();
    for (let i = 0; i < 3; i++) {
      const a = angle + 2 * Math.PI * i / 3;
      stroke(g, [[x + 13 * Math.cos(a), y - 13 * Math.sin(a)], [x + 18 * Math.cos(a), y - 18 * Math.sin(a)]], ink.motor, i ? 1.5 : 4);
    }
  }

  function drawCircle(g, view, {shape, numbers}, values, centre, ink) {
    const radius = Math.abs(values[numbers[2]]) * view.scale;
    g.beginPath();
    g.arc(...centre, radius, 0, 2 * Math.PI);
    if (shape === "circle") {
      g.fillStyle = ink.body;
      g.fill();
    }
    g.strokeStyle = shape === "ring" ? ink.ground : ink.line;
    g.lineWidth = 2;
    g.stroke();
    if (numbers.length < 4) return;
    const a = values[numbers[3]];
    polyline(g, [centre, [centre[0] + radius * Math.cos(a), centre[1] - radius * Math.sin(a)]]);
    g.stroke();
  }

  function drawNames(g, view, list, values, ink) {
    const named = list.filter((s) => s.name && (s.shape === "point" || s.shape === "body"));
    if (named.length > 12) return;
    g.font = "12px system-ui, sans-serif";
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.lineWidth = 3;
    g.strokeStyle = ink.paper;
    g.fillStyle = ink.text;
    const taken = [];
    for (const shape of named) {
      const [x, y] = view.point(pointsOf(shape, values)[0]);
      const width = g.measureText(shape.name).width;
      // Beside its point, where no other name is.
      const places = [[10, -11], [10, 13], [-width - 10, -11], [-width - 10, 13]].map(([dx, dy]) => [x + dx, y + dy]);
      const free = places.find(([px, py]) => taken.every(([qx, qy, w]) =>
        Math.abs(py - qy) > 14 || px > qx + w + 4 || px + width + 4 < qx)) || places[0];
      taken.push([...free, width]);
      g.strokeText(shape.name, ...free);
      g.fillText(shape.name, ...free);
    }
  }

  const inkOf = () => ({paper: colour("stage"), text: colour("ink"), line: colour("ink"),
    ground: colour("muted"), hatch: colour("hatch"), bar: colour("bar"), barLight: colour("bar-light"),
    spring: colour("spring"), motor: colour("event"), body: colour("body"), point: colour("ink")});
  const ghostInk = () => {
    const ghost = colour("ghost"), soft = colour("ghost-soft");
    return {paper: colour("stage"), text: ghost, line: ghost, ground: ghost, hatch: soft, bar: ghost,
      barLight: soft, spring: ghost, motor: ghost, body: soft, point: ghost};
  };

  // Coordinates as dots on tracks, where nothing is drawn.
  function drawTracks(g, state, ghost, width, height) {
    const names = model.coordinates.slice(0, 8);
    const at = (row, i) => (names[i].state ? row.v : row.q)[i];
    const row = Math.min(56, (height - 30) / Math.max(1, names.length));
    const top = (height - row * names.length) / 2;
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    names.forEach((name, i) => {
      const y = top + row * (i + 0.5), column = motion.values[name.state ? "velocity" : "position"][i];
      let low = Infinity, high = -Infinity;
      for (const v of column) low = Math.min(low, v), high = Math.max(high, v);
      const x = (v) => 130 + (width - 160) * (high > low ? (v - low) / (high - low) : 0.5);
      g.textAlign = "left";
      g.fillStyle = colour("ink");
      g.fillText(name.name, 14, y - 7, 105);
      g.fillStyle = colour("muted");
      g.fillText(formatNumber(at(state, i), 5), 14, y + 9, 105);
      stroke(g, [[130, y], [width - 30, y]], colour("hatch"), 2);
      if (ghost) dot(g, [x(at(ghost, i)), y], 6, colour("ghost-soft"), colour("ghost"));
      dot(g, [x(at(state, i)), y], 6, colour("bar"));
    });
  }

  return {
    // Height for a width, so that the mechanism fills its stage.
    aspect: shapes.length ? Math.min(0.95, Math.max(0.4,
      (box.top - box.bottom) / (box.right - box.left) * 0.9 + 0.08)) : 0,
    least: shapes.length ? 240 : 60 + 56 * Math.min(8, counts[0]),
    isDrawn: shapes.length > 0,
    hasContacts: reactions.any,
    draw(g, width, height, t, prediction, options) {
      g.fillStyle = colour("stage");
      g.fillRect(0, 0, width, height);
      const state = stateAt(t);
      const ghost = prediction && prediction.active ? predictedAt(prediction, t) : null;
      if (!shapes.length) {
        drawTracks(g, state, ghost, width, height);
        return;
      }
      const view = fit(width, height);
      drawGrid(g, view, width, height);
      if (options.traces) drawPaths(g, view, t);
      if (ghost) {
        g.globalAlpha = t >= prediction.broken ? 0.2 : 0.75;
        drawShapes(g, view, ghost, ghostInk(), false, 0);
        g.globalAlpha = 1;
      }
      const reach = Math.min(110, Math.max(44, 0.22 * Math.min(width, height)));
      drawShapes(g, view, state, inkOf(), options.names, options.contacts && reactions.any ? reach : 0);
    },
  };
}
