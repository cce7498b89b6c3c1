// Overlays that the stage shows on demand: velocities of points, forces in joints and bars, and where an event hit.
import {arrowTo} from "./reactions.js";
import {valueAt} from "./series.js";
import {colour} from "./theme.js";

const flash = 0.04; // how long a hit is shown, as a part of the run
const movable = new Set(["point", "body", "circle", "trace"]);

// A size that most do not exceed: a few peaks do not make all others invisible.
function usual(sizes) {
  const sorted = sizes.filter((v) => v > 0).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(0.95 * sorted.length))] : 0;
}

// The coordinates that each step depends on.
function dependencies(steps) {
  const sets = [];
  for (const step of steps) {
    const own = new Set();
    if (Array.isArray(step) && step[0] === "q") own.add(step[1]);
    else if (Array.isArray(step) && step[0] !== "t" && !"vcp".includes(step[0]))
      for (const i of step.slice(1)) sets[i].forEach((q) => own.add(q));
    sets.push(own);
  }
  return sets;
}

export function makeOverlays(data, drawing, shapes, compute, stateOfRow) {
  const {motion, model} = data;
  const depends = dependencies(drawing.steps);
  const numbersOf = ({numbers: [x, y]}) => new Set([...depends[x], ...depends[y]]);
  const seen = new Set();
  const movers = shapes.filter((s) => movable.has(s.shape) && numbersOf(s).size && !seen.has(`${s.numbers.slice(0, 2)}`) && seen.add(`${s.numbers.slice(0, 2)}`)).slice(0, 40);

  // Positions and velocities of points at a state, [x, y, vx, vy]. The velocity is that of the drawing along the motion.
  function movingAt(state, list) {
    const size = Math.max(1e-9, ...state.v.map(Math.abs)), e = 1e-6 / size;
    const read = (values) => list.map(({numbers: [x, y]}) => [values[x], values[y]]);
    const here = read(compute(state));
    const there = read(compute({...state, t: state.t + e, q: state.q.map((q, i) => q + e * state.v[i])}));
    return here.map(([x, y], i) => [x, y, (there[i][0] - x) / e, (there[i][1] - y) / e]);
  }

  const rows = Array.from({length: 60}, (_, i) => Math.floor((motion.rows - 1) * i / 59));
  const speed = usual(rows.flatMap((row) => movingAt(stateOfRow(row), movers).map(([, , vx, vy]) => Math.hypot(vx, vy))));

  // ---- forces. A bar pulls with 2 mu L; a pin's multipliers are the force of its first part on the second.
  const indexOf = (name) => model.constraints.findIndex((c) => c.name === name);
  const bars = shapes.filter((s) => (s.shape === "bar" || s.shape === "rod") && s.numbers.length === 4 && indexOf(s.name) >= 0)
    .map((shape) => ({shape, index: indexOf(shape.name)}));
  const pins = shapes.filter((s) => s.shape === "pin" && indexOf(`${s.name}.x`) >= 0 && indexOf(`${s.name}.y`) >= 0)
    .map((shape) => ({shape, x: indexOf(`${shape.name}.x`), y: indexOf(`${shape.name}.y`)}));
  const multiplier = (index, place) => valueAt(motion.values.multiplier[index], place) || 0;
  const barForce = ({shape, index}, values, place) => {
    const [ax, ay, bx, by] = shape.numbers.map((i) => values[i]), mu = multiplier(index, place);
    return {a: [ax, ay], b: [bx, by], pull: [2 * mu * (bx - ax), 2 * mu * (by - ay)]};
  };
  const pinForce = ({x, y}, place) => [multiplier(x, place), multiplier(y, place)];
  const force = usual(rows.flatMap((row) => {
    const place = {row, part: 0}, values = compute(stateOfRow(row));
    return [...bars.map((b) => Math.hypot(...barForce(b, values, place).pull)), ...pins.map((p) => Math.hypot(...pinForce(p, place)))];
  }));

  // ---- hits: the drawn point that the guard of the event is about, and how its velocity changed.
  const tokens = (text) => new Set(text.match(/[A-Za-z_][\w.]*/g) ?? []);
  const contactNames = new Set(shapes.filter((s) => s.shape === "contact").map((s) => s.name));
  const guards = new Map(model.events.map((e) => {
    const words = tokens(e.when), about = model.coordinates.flatMap((c, i) => (words.has(c.name) ? [i] : []));
    const near = movers.map((shape) => ({shape, on: numbersOf(shape)})).filter(({on}) => about.length && about.every((i) => on.has(i)))
      .sort((a, b) => a.on.size - b.on.size)[0];
    return [e.name, e.automatic || contactNames.has(e.name) ? null : near?.shape ?? null];
  }));
  const hits = data.events.flatMap((event, i) => {
    const shape = guards.get(event.name), pair = motion.events[i];
    if (!shape || !pair || pair[1] === undefined || pair[1] === null) return [];
    const [[x, y, ax, ay]] = movingAt(stateOfRow(pair[0]), [shape]), [[, , bx, by]] = movingAt(stateOfRow(pair[1]), [shape]);
    return [{t: event.time, at: [x, y], jump: [bx - ax, by - ay]}];
  }).filter(({jump}) => Math.hypot(...jump) > 1e-9 * (speed || 1));
  const hardest = hits.reduce((most, {jump}) => Math.max(most, Math.hypot(...jump)), 0);

  const fadeOf = (t, hit) => {
    const part = data.end > data.start ? (t - hit) / (flash * (data.end - data.start)) : 0;
    return part < -0.1 ? 0 : Math.max(0, 1 - Math.max(0, part));
  };
  const cut = ([x, y], by, reach) => {
    const size = Math.hypot(x, y) / by, part = Math.min(1, 1.6 / (size || 1)) * reach / by;
    return [x * part, -y * part];
  };

  return {
    hasVelocities: speed > 0,
    hasForces: force > 0,
    hasHits: hits.length > 0,
    drawVelocities(g, view, state, reach) {
      for (const [x, y, vx, vy] of movingAt(state, movers)) arrowTo(g, view.point([x, y]), cut([vx, vy], speed, reach), colour("velocity"), 1.75);
    },
    drawForces(g, view, state, values, reach) {
      const ink = colour("reaction");
      for (const bar of bars) {
        const {a, b, pull} = barForce(bar, values, state.place), [px, py] = cut(pull, force, 0.8 * reach);
        arrowTo(g, view.point(a), [px, py], ink, 2);
        arrowTo(g, view.point(b), [-px, -py], ink, 2);
      }
      for (const pin of pins)
        arrowTo(g, view.point(pin.shape.numbers.map((i) => values[i])), cut(pinForce(pin, state.place), force, reach), ink, 2);
    },
    drawHits(g, view, t, reach) {
      for (const hit of hits) {
        const fade = fadeOf(t, hit.t);
        if (!(fade > 0)) continue;
        const [x, y] = view.point(hit.at);
        g.globalAlpha = fade;
        g.strokeStyle = colour("impulse");
        g.lineWidth = 2;
        g.beginPath();
        g.arc(x, y, 6 + 22 * (1 - fade), 0, 2 * Math.PI);
        g.stroke();
        arrowTo(g, [x, y], cut(hit.jump, hardest, reach), colour("impulse"), 2.5);
        g.globalAlpha = 1;
      }
    },
  };
}
