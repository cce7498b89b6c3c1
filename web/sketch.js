// A drawing for models that have none: coordinates called x, y or z are points that move in their direction,
// and where an event always finds one of them at the same place, there is a wall. It has the form of
// the drawings that the program writes: steps and shapes. null if no coordinate has such a name.

import {rangeOf} from "./series.js";

// "x", "P.x", "x1", "x_1" and their like: {axis, stem}; null for other names.
export function directionOf(name) {
  const match = /^(?:(.*)[._])?([xyzXYZ])(_?\d*)$/.exec(name);
  if (!match) return null;
  const axis = match[2].toLowerCase();
  return {axis, stem: `${match[1] ?? ""}|${match[3]}`};
}

// Coordinates that belong together: [{name, x: index, y: index}], y for a z, too; -1 if there is none.
function pointsOf(coordinates) {
  const points = new Map();
  coordinates.forEach((c, i) => {
    const found = c.state ? null : directionOf(c.name);
    if (!found) return;
    const point = points.get(found.stem) ?? {name: found.stem.replace("|", ""), x: -1, y: -1, z: -1};
    point[found.axis] = i;
    points.set(found.stem, point);
  });
  return [...points.values()].map(({name, x, y, z}) => ({name, x, y: z >= 0 && y < 0 ? z : y}));
}

// A word of a formula that is exactly this name.
const mentions = (formula, name) => {
  const word = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(^|[^\\w.(])${word}($|[^\\w.])`).test(formula);
};

// Where the events of a name find a coordinate; null if that is not one place.
function wallAt(data, name, index) {
  const {motion} = data, column = motion.values.position[index];
  const rows = data.events.map((e, i) => (e.name === name ? motion.events[i]?.[0] : undefined)).filter((r) => r !== undefined);
  const places = rows.map((row) => column[row]);
  if (!places.length || rangeOf(places) > 1e-5 * rangeOf(column)) return null;
  // The free side is where the motion comes from.
  const before = column[Math.max(0, rows[0] - 1)];
  return {place: places[0], from: Math.sign(before - places[0]) || 1};
}

export function sketch(data) {
  const {coordinates, events} = data.model, points = pointsOf(coordinates);
  if (!points.length || !data.motion?.rows) return null;
  const column = data.motion.values.position;
  const range = (i) => (i < 0 ? 0 : rangeOf(column[i]));
  const size = Math.max(...points.flatMap(({x, y}) => [range(x), range(y)])) || 1;
  const steps = [], shapes = [];
  const step = (value) => steps.push(value) - 1;
  const number = (value) => step(value);
  // Points that only go up and down stand side by side, others below each other.
  const lonely = points.filter(({x, y}) => x < 0 || y < 0);
  const apart = (p) => 0.6 * size * lonely.indexOf(p);
  for (const point of points) {
    const {name, x, y} = point;
    const at = [x >= 0 ? step(["q", x]) : number(apart(point)), y >= 0 ? step(["q", y]) : number(-apart(point))];
    shapes.push({shape: "circle", numbers: [...at, number(0.035 * size)]}, {shape: "trace", numbers: at});
    if (points.length > 1) shapes.push({shape: "point", name: name || coordinates[x >= 0 ? x : y].name, numbers: at});
    for (const event of events)
      for (const [axis, index] of [["x", x], ["y", y]]) {
        if (index < 0 || event.automatic || !mentions(event.when, coordinates[index].name)) continue;
        const wall = wallAt(data, event.name, index);
        if (!wall) continue;
        const half = (x >= 0 && y >= 0 ? 4 : 0.22) * size, place = wall.place - 0.035 * size * wall.from;
        // The free side of an edge is on its left.
        const ends = axis === "y" ? [[apart(point) - half, place], [apart(point) + half, place]] : [[place, -apart(point) + half], [place, -apart(point) - half]];
        shapes.push({shape: "edge", numbers: (wall.from > 0 ? ends : ends.reverse()).flat().map(number)});
      }
  }
  return {steps, shapes, guessed: true};
}
