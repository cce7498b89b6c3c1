// The linear prediction for other parameters. A row at time t, with the times of the events around it
// moving by dτ, is found again at t + δ with δ = dτ/dρ δρ, interpolated between those events:
//
//     q(t) + Q(t) δρ + v(t) δ     at t + δ
//
// so that before and after an event the predicted motion still ends and begins at it. Where events
// change their order the prediction is meaningless: it is `broken` from there on.
import {placeAt, valueAt} from "./series.js";

function eventShifts(data, change) {
  const times = data.methods.discrete?.times || [];
  return data.events.map((_, i) => {
    const row = times[i] || [];
    return change.reduce((sum, d, k) => sum + d * (row[k] || 0), 0);
  });
}

// Where each segment between events begins and ends: rows, and how far these ends move.
function segments(data, shifts, change) {
  const {motion} = data;
  const list = [];
  let first = 0, shift = 0;
  motion.events.forEach(([before, after], i) => {
    list.push({first, last: before, from: shift, to: shifts[i]});
    shift = shifts[i];
    first = after ?? before + 1;
  });
  const end = data.result.end_gradient;
  const moved = end ? data.wrt.reduce((sum, p, k) => sum + change[k] * (end[p.name] || 0), 0) : 0;
  if (first < motion.rows) list.push({first, last: motion.rows - 1, from: shift, to: moved});
  return list;
}

function shiftedTimes(data, list) {
  const {t, rows} = data.motion;
  const delta = new Float64Array(rows), times = new Float64Array(rows);
  for (const {first, last, from, to} of list) {
    const span = t[last] - t[first];
    for (let i = first; i <= last; i++) {
      delta[i] = span > 0 ? from + (to - from) * (t[i] - t[first]) / span : to;
      times[i] = t[i] + delta[i];
    }
  }
  return {delta, times};
}

// The time from which on the order of events is another one; Infinity: nowhere.
function brokenFrom(times, list) {
  for (const {first, last} of list)
    if (last > first && !(times[last] > times[first])) return Math.min(times[first], times[last]);
  return Infinity;
}

// Rates of quantities without their own (memories stay, integrals change): from neighbouring rows.
function slopes(column, t, list) {
  const out = new Float64Array(column.length);
  for (const {first, last} of list)
    for (let i = first; i <= last; i++) {
      const a = Math.max(first, i - 1), b = Math.min(last, i + 1);
      out[i] = t[b] > t[a] ? (column[b] - column[a]) / (t[b] - t[a]) : 0;
    }
  return out;
}

const kinds = {position: "velocity", velocity: "acceleration", memory: null, cost: "slope"};

export function predict(data, change) {
  const {motion} = data, np = data.wrt.length;
  const list = segments(data, eventShifts(data, change), change);
  const {delta, times} = shiftedTimes(data, list);
  const columns = {};

  function column(kind, index) {
    const key = `${kind} ${index}`;
    if (columns[key]) return columns[key];
    const base = motion.values[kind][index];
    const rate = kinds[kind] === "slope" ? slopes(base, motion.t, list)
      : kinds[kind] ? motion.values[kinds[kind]][index] : null;
    const out = new Float64Array(motion.rows);
    for (let i = 0; i < motion.rows; i++) {
      let sum = base[i] + (rate ? rate[i] * delta[i] : 0);
      for (let k = 0; k < np; k++)
        if (change[k]) sum += motion.tangent[kind][index * np + k][i] * change[k];
      out[i] = sum;
    }
    return (columns[key] = out);
  }

  const place = (t) => placeAt(times, t);
  const broken = brokenFrom(times, list);
  return {
    active: change.some((d) => d !== 0),
    change,
    times,
    place,
    broken,
    column,
    value: (kind, index, t) => valueAt(column(kind, index), place(t)),
    // The prediction on the rows of the motion, for plots; NaN outside, and once where an event is passed.
    onGrid(kind, index) {
      const values = column(kind, index), last = Math.min(times[motion.rows - 1], broken);
      let segment = 0;
      return Float64Array.from(motion.t, (t) => {
        if (t < times[0] || t > last) return NaN;
        const at = place(t), before = segment;
        while (segment + 1 < list.length && at.row > list[segment].last) segment++;
        return segment === before ? valueAt(values, at) : NaN;
      });
    },
    costs: data.costs.map((cost, i) => data.wrt.reduce((sum, p, k) =>
      sum + change[k] * (data.methods.discrete?.gradient?.[i]?.[k] ?? NaN), cost.value)),
  };
}
