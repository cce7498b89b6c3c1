// The plots over time: one per quantity and unit, in groups.
import {motionName, motionUnit} from "./names.js";
import {placeAt, rangeOf, valueAt} from "./series.js";

export const groups = ["Motion", "Forces", "Sensitivity", "Trust"];

// ---- helpers ---------------------------------------------------------------------------------------

const moving = (list, order) => list.map((c, i) => ({name: motionName(c, order), unit: motionUnit(c, order), index: i, state: c.state}));
const named = (list) => list.map(({name, unit, line}, i) => ({name, unit: unit ?? "", index: i, line}));
const absolute = (column) => Float64Array.from(column, (v) => (v === 0 ? NaN : Math.abs(v)));

// The largest range first: readers mostly look for what moves most.
export const byRange = (series) => series.map((s) => ({s, range: rangeOf(s.column)})).sort((a, b) => b.range - a.range).map(({s}) => s);

// Differences have a coarser grid: they are interpolated between its times, but not across events, where they jump.
function spreadOut(data, column) {
  const {motion} = data, times = motion.differences.t;
  const jumps = new Set(data.events.map((e) => placeAt(times, e.time).row));
  return Float64Array.from(motion.t, (t) => {
    const place = placeAt(times, t);
    return jumps.has(place.row) ? NaN : valueAt(column, place);
  });
}

// One plot per unit: [{id, title, unit, series}]. The first one keeps the id of the quantity.
function byUnit(plot, series) {
  const units = [...new Set(series.map((s) => s.unit))];
  return units.map((unit, k) => ({...plot, id: k ? `${plot.id}-${k + 1}` : plot.id, quantity: plot.id, unit,
    series: () => series.filter((s) => s.unit === unit)}));
}

// ---- costs: each as a share of its final value, so that one sees all of them -------------------------

function scaleOf(column, final) {
  const largest = column.reduce((most, v) => Math.max(most, Math.abs(v) || 0), 0);
  return Math.abs(final) > 1e-6 * largest ? Math.abs(final) : largest || 1;
}

const costSeries = (data) => named(data.costs).map((cost) => {
  const whole = data.motion.values.cost[cost.index], scale = scaleOf(whole, data.costs[cost.index].value);
  return {...cost, kind: "cost", column: Float64Array.from(whole, (v) => 100 * v / scale), factor: 100 / scale, whole};
});

// ---- all of them -----------------------------------------------------------------------------------

// {id, quantity, title, unit, group, shown, log, note, pick: [label, options], first, series(pick)}; a series is {name, unit, index,
// column}, with kind if it is predicted, over: a second curve, factor and whole: column is factor * whole.
export function listPlots(data) {
  const {motion, model} = data, {values} = motion, np = data.wrt.length, n = model.coordinates.length;
  const read = (kind, list, predicted = kind) => list.map((s) => ({...s, kind: predicted, column: values[kind][s.index]}));
  const coordinates = (order, states) => moving(model.coordinates, order).filter((c) => Boolean(c.state) === states);
  const motionPlot = (id, title, series, extra = {}) => byUnit({id, title, group: "Motion", ...extra}, series);
  const plots = [
    ...motionPlot("positions", "Positions", read("position", coordinates(0, false)), {shown: true}),
    ...motionPlot("velocities", "Velocities", read("velocity", coordinates(1, false)), {shown: true}),
    ...motionPlot("states", "States", read("velocity", coordinates(1, true)), {shown: true}),
    ...motionPlot("accelerations", "Accelerations", read("acceleration", moving(model.coordinates, 2), null)),
    ...motionPlot("outputs", "Outputs", read("output", named(model.outputs), null)),
    ...motionPlot("memories", "Memories", read("memory", named(model.memories))),
    {id: "costs", title: "Costs so far", unit: "% of the final value", group: "Motion", shown: true, series: () => costSeries(data)},
    {id: "energy", title: "Energy", unit: "", group: "Motion", series: () => [
      {name: "kinetic", index: 0, column: values.energy[0]}, {name: "potential", index: 1, column: values.energy[1]},
      {name: "total", index: 2, column: values.energy[0].map((v, i) => v + values.energy[1][i])}]},
    ...byUnit({id: "multipliers", title: "Multipliers", group: "Forces"}, read("multiplier", named(model.constraints), null)),
  ];
  if (motion.tangent && data.costs.length)
    plots.push({id: "sensitivities", title: "Sensitivities of a cost, dz/d\u03c1", unit: "", group: "Sensitivity", shown: true, pick: ["Cost", data.costs.map((c) => c.name)],
      note: motion.differences ? "Dotted: finite differences." : null,
      // Costs that are final values only are zero before the end.
      first: Math.max(0, data.costs.findIndex((_, i) => values.cost[i].some((v) => v !== 0))),
      series: (pick) => data.wrt.map((p, k) => ({name: `d/d(${p.name})`, index: k,
        column: motion.tangent.cost[pick * np + k],
        over: motion.differences && spreadOut(data, motion.differences.cost[pick * np + k])}))});
  if (motion.tangent)
    plots.push({id: "state-sensitivities", title: "Sensitivities of positions, dq/d\u03c1", unit: "", group: "Sensitivity", pick: ["Parameter", data.wrt.map((p) => p.name)],
      series: (pick) => model.coordinates.map((c, i) => ({name: `d(${c.name})`, index: i, column: motion.tangent[c.state ? "velocity" : "position"][i * np + pick]}))});
  if (motion.adjoint && data.costs.length)
    plots.push({id: "adjoints", title: "Adjoints, \u03bb(t)", unit: "", group: "Sensitivity", pick: ["Cost", data.costs.map((c) => c.name)],
      note: "How the cost responds to a change of the state at that time.",
      series: (pick) => [...coordinates(0, false).map((c) => ({name: `d/d(${c.name})`, index: c.index, column: motion.adjoint.position[pick * n + c.index]})),
        ...model.coordinates.map((c, i) => ({name: `d/d(${motionName(c, 1)})`, index: n + i, column: motion.adjoint.velocity[pick * n + i]}))]});
  const trust = (id, title, series, note) => plots.push({id, title, unit: "", group: "Trust", log: true, series: () => series, note});
  trust("energy-drift", "Energy, change since the start", [{name: "|total \u2212 at the start|", index: 0, column: absolute(values.energy[2])}]);
  trust("residuals", "Constraint residuals", model.constraints.map((c, i) => ({name: `|${c.name}|`, index: i, column: absolute(values.residual[i])})));
  trust("residual-rates", "Rates of constraints", model.constraints.map((c, i) => ({name: `|d/dt ${c.name}|`, index: i, column: absolute(values.residual_rate[i])})));
  if (motion.duality)
    trust("duality", "Duality: adjoint \u00b7 tangent against the gradient", data.costs.map((c, i) => ({name: c.name, index: i, column: absolute(motion.duality[i])})),
      "Relative; the tangent is carried forward, the adjoint backward: they must agree at every time.");
  return plots.filter((plot) => {
    const series = plot.series(0);
    return series.length && (!plot.log || series.some((s) => s.column.some(Number.isFinite)));
  }).map((plot) => ({quantity: plot.id, ...plot}));
}
