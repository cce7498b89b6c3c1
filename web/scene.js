// Draws the mechanism on a canvas: shapes are computed by the drawing's steps, for the motion and for
// a prediction of it (the ghost). Lengths in the drawing are the model's; widths of lines are pixels.
import {niceStep, formatNumber} from "./format.js";
import {makeOverlays} from "./overlays.js";
import {drawPhases} from "./phase.js";
import {makeReactions} from "./reactions.js";
import {sketch} from "./sketch.js";
import {activeModes, isActive, modeAt, placeAt, valueAt} from "./series.js";
import {compileSteps} from "./tape.js";
import {colour} from "./theme.js";

const endless = new Set(["floor", "slot"]);

// Arms to points that only give the direction of a slot are no part of the body.
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

// Elements that meet in a point would draw it twice.
function withoutRepeats(shapes) {
  const seen = new Set();
  return shapes.filter((shape) => {
    const key = JSON.stringify([shape.shape, shape.numbers, shape.modes]);
    return !seen.has(key) && seen.add(key);
  });
}

// Shapes of which only the first two numbers are a point.
const atPoint = new Set(["body", "ring", "circle", "gear", "coil", "motor", "contact"]);
// Those of which the third number is a radius.
const round = new Set(["circle", "ring", "gear"]);

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

// aside: distance from a spring between the same points.
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
  const drawing = (data.drawing.shapes.length ? null : sketch(data)) ?? data.drawing;
  const compute = compileSteps(drawing.steps);
  const params = model.params.map((p) => p.value);
  const counts = [model.coordinates.length, model.memories.length];

  const stateAt = (t) => {
    const place = placeAt(motion.t, t);
    const read = (kind, n) => Array.from({length: n}, (_, i) => valueAt(motion.values[kind][i], place));
    return {t, q: read("position", counts[0]), v: read("velocity", counts[0]), a: read("acceleration", counts[0]),
      c: read("memory", counts[1]), p: params, row: place.row, place};
  };
  const stateOfRow = (row) => {
    const place = {row, part: 0};
    const read = (kind, n) => Array.from({length: n}, (_, i) => motion.values[kind][i][row]);
    return {t: motion.t[row], q: read("position", counts[0]), v: read("velocity", counts[0]), c: read("memory", counts[1]), p: params, row, place};
  };
  const predictedAt = (prediction, t) => {
    const read = (kind, n) => Array.from({length: n}, (_, i) => prediction.value(kind, i, t));
    const p = [...params];
    data.wrt.forEach((param, k) => (p[param.index] += prediction.change[k]));
    // Accelerations are not predicted: those of the motion at that place.
    const a = motion.values.acceleration.map((column) => valueAt(column, prediction.place(t)));
    return {t, q: read("position", counts[0]), v: read("velocity", counts[0]), a,
      c: read("memory", counts[1]), p, row: prediction.place(t).row};
  };
  const drawn = withoutRepeats(withoutDirections(drawing.shapes));
  const shapes = motion.rows ? atPins(drawn, compute(stateAt(data.start))) : drawn;
  const visible = (row) => {
    const active = activeModes(modeAt(motion.modes, row), model.modes);
    return shapes.filter((s) => isActive(s.modes, active, model.modes));
  };

  const reactions = motion.rows ? makeReactions(data, shapes) : {any: false};
  const overlays = motion.rows && shapes.length ? makeOverlays(data, drawing, shapes, compute, stateOfRow) : {};

  // The extent of the motion, and the paths of traces.
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
  // The camera follows the middle of the moving points, with room for all of them.
  const fixedPoints = new Set(shapes.filter((s) => s.shape === "fixed").map((s) => String(s.numbers)));
  const points = shapes.filter((s) => ["point", "body", "circle", "pin"].includes(s.shape) && !fixedPoints.has(String(s.numbers.slice(0, 2))));
  const followed = points.length ? points : shapes.filter((s) => ["line", "bar", "rod", "trace"].includes(s.shape));
  let radius = 0;
  const centreOf = (values) => {
    const all = followed.flatMap((s) => pointsOf(s, values)).filter(([x, y]) => Number.isFinite(x + y));
    const sum = all.reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]);
    return all.length ? sum.map((v) => v / all.length) : [0, 0];
  };
  function survey() {
    const step = Math.max(1, Math.floor(motion.rows / 600));
    const rows = new Set(motion.events.flat());
    for (let i = 0; i < motion.rows; i += step) rows.add(i);
    rows.add(motion.rows - 1);
    for (const row of [...rows].sort((a, b) => a - b)) {
      const values = compute(stateOfRow(row)), centre = centreOf(values);
      for (const [x, y] of followed.flatMap((s) => pointsOf(s, values)))
        if (Number.isFinite(x + y)) radius = Math.max(radius, Math.hypot(x - centre[0], y - centre[1]));
      for (const shape of visible(row)) {
        if (endless.has(shape.shape) || (drawing.guessed && shape.shape === "edge")) continue;
        const points = pointsOf(shape, values);
        const r = round.has(shape.shape) ? values[shape.numbers[2]] : 0;
        for (const [x, y] of points) cover(x - r, y - r), cover(x + r, y + r);
      }
      paths.forEach(({shape, points}) => points.push([motion.t[row], ...pointsOf(shape, values)[0]]));
    }
    // Only the piece of a floor below the motion.
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

  function fit(width, height, camera, values, small) {
    const margin = small ? 14 : 36, follow = camera?.follow && followed.length > 0;
    const whole = Math.min((width - 2 * margin) / (box.right - box.left),
      (height - 2 * margin) / (box.top - box.bottom));
    const near = radius > 0 ? (Math.min(width, height) / 2 - margin) / (1.15 * radius) : 4 * whole;
    const base = follow ? Math.min(near, 8 * whole) : whole, scale = base * (camera?.zoom ?? 1);
    const [mx, my] = follow ? centreOf(values) : [(box.left + box.right) / 2, (box.bottom + box.top) / 2];
    const cx = mx + (camera?.x ?? 0) / base, cy = my - (camera?.y ?? 0) / base;
    return {scale, point: ([x, y]) => [width / 2 + (x - cx) * scale, height / 2 - (y - cy) * scale],
      left: cx - width / 2 / scale, right: cx + width / 2 / scale,
      bottom: cy - height / 2 / scale, top: cy + height / 2 / scale};
  }

  function drawGrid(g, view, width, height, small) {
    const step = niceStep(width / view.scale, width / 90), labels = [];
    const nice = (v) => formatNumber(Math.abs(v) < step / 1e6 ? 0 : v, 4);
    g.strokeStyle = colour("grid");
    g.lineWidth = 1;
    for (let x = Math.ceil(view.left / step) * step; x <= view.right; x += step) {
      const [px] = view.point([x, 0]);
      polyline(g, [[px, 0], [px, height]]);
      g.stroke();
      if (px > 24 && px < width - 24) labels.push([nice(x), px, height - 5, "center"]);
    }
    for (let y = Math.ceil(view.bottom / step) * step; y <= view.top; y += step) {
      const [, py] = view.point([0, y]);
      polyline(g, [[0, py], [width, py]]);
      g.stroke();
      if (py < height - 24 && py > 16) labels.push([nice(y), 5, py - 3, "left"]);
    }
    if (small) return;
    // Numbers last, each with an outline in the colour of the stage.
    g.font = "11px system-ui, sans-serif";
    g.textBaseline = "alphabetic";
    g.lineJoin = "round";
    for (const [text, x, y, align] of labels) {
      g.textAlign = align;
      g.strokeStyle = colour("stage");
      g.lineWidth = 3;
      g.strokeText(text, x, y);
      g.fillStyle = colour("muted");
      g.fillText(text, x, y);
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
      // A body with a circle about its centre is drawn as that circle.
      if (!arms.length && list.some((s) => s.shape === "circle" && s.numbers[0] === x && s.numbers[1] === y)) continue;
      const centre = view.point([values[x], values[y]]);
      const corners = hull([centre, ...arms.map((s) =>
        view.point([values[s.numbers[2]], values[s.numbers[3]]]))]);
      g.lineJoin = g.lineCap = "round";
      // A visible outline and a pale fill.
      if (corners.length > 1) {
        for (const [width, style] of [[15, ink.outline], [12, ink.body]]) {
          g.fillStyle = g.strokeStyle = style;
          g.lineWidth = width;
          polyline(g, [...corners, corners[0]]);
          g.stroke();
          g.fill();
        }
      } else {
        g.save();
        g.translate(...centre);
        g.rotate(-values[body.numbers[2]]);
        g.fillStyle = ink.outline;
        g.fillRect(-14.5, -10.5, 29, 21);
        g.fillStyle = ink.body;
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
    "bar", "rod", "dashed", "line", "circle", "gear", "motor", "coil", "pin", "trace", "point", "contact"];

  const nearby = () => 0.06 * Math.max(box.right - box.left, box.top - box.bottom);

  // options: what is shown besides the shapes; null: nothing. reach: the length of the arrow of a usual force.
  function drawShapes(g, view, state, ink, options, reach) {
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
        } else if (round.has(kind)) drawCircle(g, view, shape, values, points[0], ink);
        else if (kind !== "contact") painters[kind](g, points, ink, shape);
      }
    }
    if (!options) return;
    if (options.forces && overlays.hasForces) overlays.drawForces(g, view, state, values, reach);
    if (options.contacts && reactions.any) reactions.draw(g, view, reactions.at(state.t, state.place, values, list), nearby(), reach, ink.paper);
    if (options.contacts && overlays.hasHits) overlays.drawHits(g, view, state.t, reach);
    if (options.names && !options.small) drawNames(g, view, list, values, ink);
    if (options.velocities && overlays.hasVelocities) overlays.drawVelocities(g, view, state, reach);
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
    const radius = Math.max(shape === "circle" ? 4 : 0, Math.abs(values[numbers[2]]) * view.scale); // small balls are seen, too
    g.beginPath();
    g.arc(...centre, radius, 0, 2 * Math.PI);
    if (shape === "circle") {
      g.fillStyle = ink.body;
      g.fill();
    }
    g.strokeStyle = shape === "ring" ? ink.ground : ink.line;
    g.lineWidth = shape === "gear" ? 1.5 : 2;
    g.setLineDash(shape === "gear" ? [12, 4, 2, 4] : []); // pitch circles are chain lines
    g.stroke();
    g.setLineDash([]);
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
    const taken = [], marks = list.filter((s) => ["point", "pin", "fixed", "motor", "coil"].includes(s.shape))
      .map((s) => ({at: view.point(pointsOf(s, values)[0]), radius: s.shape === "motor" || s.shape === "coil" ? 20 : 6}));
    for (const shape of named) {
      const [x, y] = view.point(pointsOf(shape, values)[0]);
      const width = g.measureText(shape.name).width, far = marks.some((m) => m.radius > 6 && Math.hypot(m.at[0] - x, m.at[1] - y) < 20) ? 14 : 0;
      // Beside its point, where there is no other name, pin or motor.
      const places = [[10 + far, -11], [10 + far, 13], [-width - 10 - far, -11], [-width - 10 - far, 13], [-width / 2, -22 - far], [-width / 2, 24 + far]]
        .map(([dx, dy]) => [x + dx, y + dy]);
      const meets = ([px, py]) => taken.filter(([qx, qy, w]) => Math.abs(py - qy) <= 14 && px <= qx + w + 4 && px + width + 4 >= qx).length * 2 +
        marks.filter(({at: [mx, my], radius: r}) => mx > px - r && mx < px + width + r && Math.abs(my - py) < 7 + r).length;
      const free = places.reduce((best, place) => (meets(place) < meets(best) ? place : best));
      taken.push([...free, width]);
      g.strokeText(shape.name, ...free);
      g.fillText(shape.name, ...free);
    }
  }

  const inkOf = () => ({paper: colour("stage"), text: colour("ink"), line: colour("ink"),
    ground: colour("muted"), hatch: colour("hatch"), bar: colour("bar"), barLight: colour("bar-light"),
    spring: colour("spring"), motor: colour("event"), body: colour("body"), outline: colour("bar"), point: colour("ink")});
  const ghostInk = (name = "ghost") => {
    const ghost = colour(name), soft = colour(`${name}-soft`);
    return {outline: ghost, paper: colour("stage"), text: ghost, line: ghost, ground: ghost, hatch: soft, bar: ghost,
      barLight: soft, spring: ghost, motor: ghost, body: soft, point: ghost};
  };

  return {
    // Height for a width, so that the mechanism fills its stage.
    aspect: shapes.length ? Math.min(0.95, Math.max(0.4,
      (box.top - box.bottom) / (box.right - box.left) * 0.9 + 0.08)) : 0.6,
    isDrawn: shapes.length > 0,
    isGuessed: Boolean(drawing.guessed) || !shapes.length,
    canFollow: followed.length > 0,
    hasContacts: reactions.any || Boolean(overlays.hasHits),
    hasVelocities: Boolean(overlays.hasVelocities),
    hasForces: Boolean(overlays.hasForces),
    box,
    // The whole picture also has room for this box.
    include: ({left, right, bottom, top}) => (cover(left, bottom), cover(right, top)),
    // The shapes alone, in the view of another scene; ink: "other" or "ghost".
    drawAs(g, view, t, ink) {
      if (shapes.length) drawShapes(g, view, stateAt(t), ghostInk(ink), null, 0);
    },
    // The shapes where a linear prediction from here has them.
    drawPredicted(g, view, t, ink, prediction) {
      if (!shapes.length || t >= prediction.broken) return;
      drawShapes(g, view, predictedAt(prediction, t), ghostInk(ink), null, 0);
    },
    // options: {traces, names, contacts, velocities, forces, small, camera, prediction, others: [{scene, ink}]}
    draw(g, width, height, t, options) {
      const {prediction, camera, small, others = []} = options;
      g.fillStyle = colour("stage");
      g.fillRect(0, 0, width, height);
      const state = stateAt(t);
      const ghost = prediction && prediction.active ? predictedAt(prediction, t) : null;
      if (!shapes.length) {
        drawPhases(g, data, state, ghost, width, height, small);
        return;
      }
      const view = fit(width, height, camera, camera?.follow ? compute(state) : null, small);
      drawGrid(g, view, width, height, small);
      if (options.traces) drawPaths(g, view, t);
      for (const other of others) {
        g.globalAlpha = 0.75;
        other.scene.drawAs(g, view, t, other.ink);
        g.globalAlpha = 1;
      }
      if (ghost) {
        g.globalAlpha = t >= prediction.broken ? 0.2 : 0.75;
        drawShapes(g, view, ghost, ghostInk(), null, 0);
        g.globalAlpha = 1;
      }
      const reach = Math.min(110, Math.max(44, 0.22 * Math.min(width, height)));
      drawShapes(g, view, state, inkOf(), options, reach);
    },
  };
}
