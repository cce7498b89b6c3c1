// The picture of a contact: its point, its friction cone, and arrows of its reaction and of impulses.
import {kindOf, listContacts, readerOf} from "./contacts.js";
import {activeModes, modeAt} from "./series.js";
import {colour} from "./theme.js";

export const kindColour = (kind) => colour(kind === "stick" || kind === "closed" ? "stick" : kind === "slide+" ? "slide-plus"
  : kind === "slide-" ? "slide-minus" : "muted");

const flash = 0.03; // how long an impulse is shown after its impact, as a part of the run

// 1 at an impact, 0 before and long after it. A little before counts, too: clocks step over it.
function fadeOf(data, impact, t) {
  const part = data.end > data.start ? (t - impact) / (flash * (data.end - data.start)) : 0;
  return part < -0.2 ? 0 : Math.max(0, 1 - Math.max(0, part));
}

export function arrowTo(g, [x, y], [dx, dy], ink, width) {
  const length = Math.hypot(dx, dy);
  if (!(length > 2)) return;
  const ux = dx / length, uy = dy / length, head = Math.min(length, 4 + 2.5 * width);
  const bx = x + dx - ux * head, by = y + dy - uy * head, side = head * 0.45;
  g.strokeStyle = g.fillStyle = ink;
  g.lineWidth = width;
  g.lineCap = "butt";
  g.beginPath();
  g.moveTo(x, y), g.lineTo(bx, by);
  g.stroke();
  g.beginPath();
  g.moveTo(x + dx, y + dy), g.lineTo(bx - uy * side, by + ux * side), g.lineTo(bx + uy * side, by - ux * side);
  g.closePath();
  g.fill();
}

// The normal force and the tangential one, thin, and both together; unit vectors of the screen.
function drawForce(g, point, {normal, tangent}, [fn, ft], ink) {
  const part = ([x, y], f) => [x * f, y * f], n = part(normal, fn), t = part(tangent, ft);
  if (Math.abs(ft) > 2) {
    arrowTo(g, point, n, ink, 1.25);
    arrowTo(g, point, t, ink, 1.25);
  }
  arrowTo(g, point, [n[0] + t[0], n[1] + t[1]], ink, 2.5);
}

function drawCone(g, [x, y], {normal: [nx, ny]}, mu, length, ink) {
  if (!(mu > 0) || !Number.isFinite(mu)) return;
  const middle = Math.atan2(ny, nx), half = Math.atan(mu);
  g.save();
  g.beginPath();
  g.moveTo(x, y), g.arc(x, y, length, middle - half, middle + half), g.closePath();
  g.globalAlpha = 0.13;
  g.fillStyle = ink;
  g.fill();
  g.globalAlpha = 0.55;
  g.strokeStyle = ink;
  g.lineWidth = 1;
  g.setLineDash([4, 3]);
  g.beginPath();
  for (const angle of [middle - half, middle + half])
    g.moveTo(x, y), g.lineTo(x + length * Math.cos(angle), y + length * Math.sin(angle));
  g.stroke();
  g.restore();
}

// A size that most do not exceed: a few peaks do not make all others invisible.
function usual(sizes, part) {
  const sorted = sizes.filter((v) => v > 0).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] : 0;
}

// All contacts that are drawn. at() lists what the visible ones show at a time:
// {name, kind, point, normal, tangent, gap, mu, force, impulse: null or {values, fade}}.
export function makeReactions(data, shapes) {
  const {motion, model} = data;
  const groups = new Map(listContacts(data).map((c) => [c.name, c]));
  const drawn = shapes.filter((s) => s.shape === "contact").map((shape) => {
    const reader = readerOf(data, shape.name);
    const blows = data.events.map((event) => ({t: event.time, values: reader.impulse(event)})).filter(({values: [n, t]}) => n || t);
    return {shape, reader, blows, group: groups.get(shape.name)};
  });
  const step = Math.max(1, Math.floor(motion.rows / 2000));
  const forces = drawn.flatMap(({reader}) =>
    Array.from({length: Math.ceil(motion.rows / step)}, (_, i) => Math.hypot(...reader.force({row: i * step, part: 0}))));
  const unit = usual(forces, 0.95), unitImpulse = usual(drawn.flatMap(({blows}) => blows.map(({values}) => Math.hypot(...values))), 1);
  for (const one of drawn) one.blows = one.blows.filter(({values}) => Math.hypot(...values) > 1e-9 * unitImpulse); // leaves out rounding errors

  function at(t, place, values, visible) {
    const active = activeModes(modeAt(motion.modes, place.row), model.modes);
    return drawn.filter(({shape}) => visible.includes(shape)).map(({shape, reader, blows, group}) => {
      const number = shape.numbers.map((i) => values[i]);
      const last = blows.map((b) => ({values: b.values, fade: fadeOf(data, b.t, t)})).reduce((a, b) => (a && a.fade > b.fade ? a : b), null);
      return {name: shape.name, kind: (group && kindOf(group, active)) ?? "open", point: number.slice(0, 2), normal: number.slice(2, 4),
        tangent: number.slice(4, 6), gap: number[6], mu: number[7] ?? 0, force: reader.force(place),
        impulse: last && last.fade > 0 ? last : null};
    });
  }

  // nearby: up to which gap an open contact is shown; reach: the length of a usual force.
  function draw(g, view, list, nearby, reach, paper) {
    const flip = ([x, y]) => [x, -y], scaled = (pair, by) => {
      const size = Math.hypot(...pair) / by, most = Math.min(1, 1.5 / (size || 1));
      return pair.map((v) => v / by * reach * most);
    };
    const seen = list.filter((c) => c.point.every(Number.isFinite))
      .map((c) => ({...c, point: view.point(c.point), normal: flip(c.normal), tangent: flip(c.tangent), closed: c.kind !== "open"}));
    for (const c of seen) if (c.closed) drawCone(g, c.point, c, c.mu, reach, colour("reaction"));
    for (const c of seen) {
      if (!c.closed || !(unit > 0)) continue;
      g.globalAlpha = 1 - 0.75 * (c.impulse?.fade ?? 0);
      drawForce(g, c.point, c, scaled(c.force, unit), colour("reaction"));
      g.globalAlpha = 1;
    }
    for (const {impulse, ...c} of seen) {
      if (!impulse) continue;
      g.globalAlpha = 0.25 + 0.75 * impulse.fade;
      drawForce(g, c.point, c, scaled(impulse.values, unitImpulse), colour("impulse"));
      g.globalAlpha = 1;
    }
    for (const c of seen) {
      if (!c.closed && !(Math.abs(c.gap) <= nearby)) continue;
      g.beginPath();
      g.arc(...c.point, 5, 0, 2 * Math.PI);
      g.fillStyle = c.closed ? kindColour(c.kind) : paper;
      g.fill();
      g.strokeStyle = c.closed ? paper : colour("muted");
      g.lineWidth = 1.5;
      g.stroke();
    }
  }
  return {any: drawn.length > 0, at, draw};
}
