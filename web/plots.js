// Plots over time, with dygraphs: one cursor and one window for all of them, events as marks, modes as
// bands, predictions and finite differences dashed.
import {makeBands} from "./bands.js";
import {el, section, selector} from "./dom.js";
import {formatNumber, withUnit} from "./format.js";
import {modeColours} from "./motion.js";
import {placeAt, valueAt} from "./series.js";
import {colour, onTheme, palette} from "./theme.js";

const firstShown = 8; // series; the others can be switched on
const mostPoints = 3000; // of one series in one picture

// ---- what there is to plot -------------------------------------------------------------------------

// Names of a coordinate's position, velocity and acceleration: a state is the velocity of one.
export const motionName = (c, order) => (c.state ? [`integral(${c.name})`, c.name, `dot(${c.name})`] : [c.name, `dot(${c.name})`, `ddot(${c.name})`])[order];
const moving = (list, order) => list.map((c, i) => ({name: motionName(c, order), unit: c.unit, index: i, state: c.state}));
const named = (list, wrap) => list.map((item, i) => ({name: wrap ? wrap(item.name) : item.name, unit: item.unit, index: i}));

function plain(id, title, kind, series, extra = {}) {
  return {id, title, ...extra, series: () => series.map((s) => ({...s, kind, column: extra.of(s.index)}))};
}

export function listPlots(data) {
  const {motion, model} = data, {values} = motion, np = data.wrt.length, n = model.coordinates.length;
  const of = (kind) => ({of: (i) => values[kind][i]});
  const absolute = (column) => Float64Array.from(column, (v) => (v === 0 ? NaN : Math.abs(v)));
  const plots = [
    plain("positions", "Positions", "position", moving(model.coordinates, 0).filter((c) => !c.state), {...of("position"), shown: true}),
    plain("velocities", "Velocities", "velocity", moving(model.coordinates, 1).filter((c) => !c.state), {...of("velocity"), shown: true}),
    plain("states", "States", "velocity", moving(model.coordinates, 1).filter((c) => c.state), {...of("velocity"), shown: true}),
    plain("accelerations", "Accelerations", null, moving(model.coordinates, 2), of("acceleration")),
    plain("multipliers", "Multipliers", null, named(model.constraints), of("multiplier")),
    plain("outputs", "Outputs", null, named(model.outputs), of("output")),
    plain("memories", "Memories", "memory", named(model.memories), of("memory")),
    plain("costs", "Costs so far, z(t)", "cost", named(data.costs), {...of("cost"), shown: true}),
  ];
  if (motion.tangent && data.costs.length)
    plots.push({id: "sensitivities", title: "Sensitivities, dz/d\u03c1", shown: true, pick: ["Cost", data.costs.map((c) => c.name)],
      note: motion.differences ? "Dotted: finite differences." : null,
      // Costs that are only taken at the end have nothing to show before.
      first: Math.max(0, data.costs.findIndex((_, i) => values.cost[i].some((v) => v !== 0))),
      series: (pick) => data.wrt.map((p, k) => ({name: `d/d(${p.name})`, index: k,
        column: motion.tangent.cost[pick * np + k],
        over: motion.differences && spreadOut(data, motion.differences.cost[pick * np + k])}))});
  if (motion.tangent)
    plots.push({id: "state-sensitivities", title: "Sensitivities of positions, dq/d\u03c1", pick: ["Parameter", data.wrt.map((p) => p.name)],
      series: (pick) => model.coordinates.map((c, i) => ({name: `d(${c.name})`, index: i, column: motion.tangent[c.state ? "velocity" : "position"][i * np + pick]}))});
  if (motion.adjoint && data.costs.length)
    plots.push({id: "adjoints", title: "Adjoints, \u03bb(t)", pick: ["Cost", data.costs.map((c) => c.name)],
      note: "How the cost responds to a change of the state at that time.",
      series: (pick) => [...moving(model.coordinates, 0).filter((c) => !c.state).map((c) => ({name: `d/d(${c.name})`, index: c.index, column: motion.adjoint.position[pick * n + c.index]})),
        ...model.coordinates.map((c, i) => ({name: `d/d(${motionName(c, 1)})`, index: n + i, column: motion.adjoint.velocity[pick * n + i]}))]});
  plots.push({id: "energy", title: "Energy", series: () => [
    {name: "kinetic", index: 0, column: values.energy[0]}, {name: "potential", index: 1, column: values.energy[1]},
    {name: "total", index: 2, column: values.energy[0].map((v, i) => v + values.energy[1][i])}]});
  plots.push({id: "energy-drift", title: "Energy, change since the start", log: true,
    series: () => [{name: "|total \u2212 at the start|", index: 0, column: absolute(values.energy[2])}]});
  plots.push({id: "residuals", title: "Constraint residuals", log: true,
    series: () => model.constraints.map((c, i) => ({name: `|${c.name}|`, index: i, column: absolute(values.residual[i])}))});
  plots.push({id: "residual-rates", title: "Rates of constraints", log: true,
    series: () => model.constraints.map((c, i) => ({name: `|d/dt ${c.name}|`, index: i, column: absolute(values.residual_rate[i])}))});
  if (motion.duality)
    plots.push({id: "duality", title: "Duality: adjoint \u00b7 tangent against the gradient", log: true,
      note: "Relative; the tangent is carried forward, the adjoint backward: they must agree at every time.",
      series: () => data.costs.map((c, i) => ({name: c.name, index: i, column: absolute(motion.duality[i])}))});
  return plots.filter((plot) => {
    const series = plot.series(0);
    return series.length && (!plot.log || series.some((s) => s.column.some(Number.isFinite)));
  });
}

// Differences have a coarser grid: between its times they are interpolated.
// Not across events, at which they jump.
function spreadOut(data, column) {
  const {motion} = data, times = motion.differences.t;
  const jumps = new Set(data.events.map((e) => placeAt(times, e.time).row));
  return Float64Array.from(motion.t, (t) => {
    const place = placeAt(times, t);
    return jumps.has(place.row) ? NaN : valueAt(column, place);
  });
}

// ---- rows for dygraphs -----------------------------------------------------------------------------

// Of very many rows those that shape the curve: per stretch the lowest and the highest of every series.
function thin(rows, series, from, to) {
  const count = to - from + 1;
  if (count <= mostPoints) return Array.from({length: count}, (_, i) => from + i);
  const kept = new Set([from, to]), stretch = count / (mostPoints / 4);
  for (const {column} of series)
    for (let s = from; s <= to; s += stretch) {
      let low = Math.floor(s), high = low;
      for (let i = low; i < Math.min(to + 1, s + stretch); i++) {
        if (column[i] < column[low]) low = i;
        if (column[i] > column[high]) high = i;
      }
      kept.add(low), kept.add(high);
    }
  rows.forEach((i) => i >= from && i <= to && kept.add(i));
  return [...kept].sort((a, b) => a - b);
}

// [[t, ...]]; a row without values separates the two sides of an event.
function tableOf(data, series, window) {
  const {motion} = data, breaks = new Set(motion.events.map(([, after]) => after));
  const from = window ? Math.max(0, placeAt(motion.t, window[0]).row - 1) : 0;
  const to = window ? Math.min(motion.rows - 1, placeAt(motion.t, window[1]).row + 2) : motion.rows - 1;
  const columns = series.flatMap((s) => [s.column, s.over || s.ghost].filter(Boolean));
  const rows = [];
  const picked = thin([...breaks].flatMap((i) => [i - 1, i]), series, from, to);
  if (from > 0) picked.unshift(0);
  if (to < motion.rows - 1) picked.push(motion.rows - 1);
  for (const i of picked) {
    if (breaks.has(i)) rows.push([motion.t[i], ...columns.map(() => NaN)]);
    rows.push([motion.t[i], ...columns.map((column) => column[i])]);
  }
  return rows;
}

// ---- one plot --------------------------------------------------------------------------------------

function makePlot(data, plot, clock, whatif, shared) {
  let pick = plot.first ?? 0, graph = null, series = [], hidden = new Set();
  const canvas = el("div", {class: "plot", id: `plot-${plot.id}`});
  const cursor = el("div", {class: "cursor", "aria-hidden": "true"});
  const legend = el("div", {class: "legend", role: "group", "aria-label": `Series of ${plot.title}`});
  const colourOf = modeColours(data);
  const predicts = plot.id === "positions" || plot.id === "velocities" || plot.id === "costs" || plot.id === "memories";

  function readSeries() {
    const prediction = whatif.prediction();
    const ghosts = predicts && prediction && prediction.active;
    series = plot.series(pick).map((s) => ({...s, ghost: ghosts ? prediction.onGrid(s.kind, s.index) : null}));
  }
  const labels = () => ["t", ...series.flatMap((s, i) => [`${i}`, ...(s.over || s.ghost ? [`${i} dashed`] : [])])];
  function styles() {
    const colours = palette(), all = {};
    series.forEach((s, i) => {
      const own = colours[i % colours.length];
      all[`${i}`] = {color: own, strokeWidth: 1.6};
      if (s.over) all[`${i} dashed`] = {color: colour("ink"), strokeWidth: 1.6, strokePattern: [2, 6]};
      if (s.ghost) all[`${i} dashed`] = {color: own, strokeWidth: 1.4, strokePattern: [5, 4]};
    });
    return all;
  }
  const visibility = () => series.flatMap((s, i) => {
    const on = !hidden.has(s.name);
    return s.over || s.ghost ? [on, on] : [on];
  });

  function underlay(g, area, dygraph) {
    const [low, high] = dygraph.xAxisRange(), {motion} = data;
    const x = (t) => dygraph.toDomXCoord(Math.min(high, Math.max(low, t)));
    g.save();
    motion.modes.forEach(([row, text], i) => {
      if (text === null || motion.modes.length < 2) return;
      const from = motion.t[row], to = motion.modes[i + 1] ? motion.t[motion.modes[i + 1][0]] : data.end;
      g.globalAlpha = 0.09;
      g.fillStyle = colourOf(text);
      g.fillRect(x(from), area.y, x(to) - x(from), area.h);
    });
    g.globalAlpha = 1;
    g.strokeStyle = colour("event");
    g.setLineDash([2, 3]);
    g.lineWidth = 1;
    if (data.events.length <= 400)
      for (const {time} of data.events) {
        if (time < low || time > high) continue;
        g.beginPath();
        g.moveTo(Math.round(x(time)) + 0.5, area.y);
        g.lineTo(Math.round(x(time)) + 0.5, area.y + area.h);
        g.stroke();
      }
    g.restore();
  }

  const options = () => ({
    labels: labels(), series: styles(), visibility: visibility(), logscale: Boolean(plot.log),
    drawPoints: false, connectSeparatedPoints: false, gridLineColor: colour("grid"), axisLineColor: colour("line"),
    axisLabelFontSize: 11, highlightCircleSize: 0, underlayCallback: underlay, animatedZooms: false,
    xRangePad: 2, yRangePad: 6, dateWindow: shared.window,
    axes: {x: {axisLabelFormatter: (v) => formatNumber(Math.abs(v) < 1e-12 ? 0 : v, 5), pixelsPerLabel: 70},
      y: {axisLabelFormatter: (v) => formatNumber(v, 3), axisLabelWidth: 58, pixelsPerLabel: 34}},
  });

  function placeCursor() {
    if (!graph) return;
    const [low, high] = graph.xAxisRange(), area = graph.getArea();
    const inside = clock.t >= low && clock.t <= high;
    cursor.style.opacity = inside ? 1 : 0;
    if (inside) cursor.style.transform = `translateX(${graph.toDomXCoord(clock.t)}px)`;
    cursor.style.top = `${area.y}px`;
    cursor.style.height = `${area.h}px`;
  }
  function showValues() {
    const place = placeAt(data.motion.t, clock.t);
    [...legend.children].forEach((chip, i) => {
      const out = chip.querySelector("output");
      if (out && series[i]) out.textContent = formatNumber(valueAt(series[i].column, place), 5);
    });
  }
  function makeLegend() {
    const colours = palette();
    legend.replaceChildren(...series.map((s, i) => el("button", {type: "button", class: "chip",
      "aria-pressed": String(!hidden.has(s.name)), style: `--chip: ${colours[i % colours.length]}`,
      onclick: (event) => {
        if (hidden.has(s.name)) hidden.delete(s.name);
        else hidden.add(s.name);
        event.currentTarget.setAttribute("aria-pressed", String(!hidden.has(s.name)));
        graph?.updateOptions({visibility: visibility()});
        placeCursor();
      }}, el("i"), el("span", {class: "name"}, withUnit(s.name, s.unit)), el("output", {}))));
    showValues();
  }

  function refresh() {
    if (!graph) return;
    readSeries();
    graph.updateOptions({...options(), file: tableOf(data, series, shared.window)});
    makeLegend();
    placeCursor();
  }
  function draw() {
    readSeries();
    // Ours is drawn here. That of the library sets an attribute that the page's policy forbids.
    const {Dygraph} = window;
    Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);
    graph = new Dygraph(canvas, tableOf(data, series, shared.window), {
      ...options(), width: canvas.clientWidth, height: canvas.clientHeight,
      zoomCallback: (low, high) => shared.zoom([low, high], graph),
      drawCallback: (dygraph, initial) => {
        if (!initial && dygraph === graph) shared.follow(graph);
        placeCursor();
      },
      highlightCallback: (_, t) => {
        if (!clock.playing) clock.set(t);
      },
      clickCallback: (_, t) => clock.set(t),
    });
    canvas.append(cursor);
    showValues();
    placeCursor();
  }

  // The legend is there before the curves are, so that nothing moves when they come.
  readSeries();
  hidden = new Set(series.slice(firstShown).map((s) => s.name));
  makeLegend();
  const box = el("div", {class: "panel plot-panel", "data-plot": plot.id, hidden: !plot.shown},
    el("header", {}, el("h3", {}, plot.title),
      plot.pick && plot.pick[1].length > 1 && selector(plot.pick[0], plot.pick[1], pick, (i) => {
        pick = i;
        refresh();
      })),
    canvas, legend, plot.note && el("p", {class: "note"}, plot.note));
  new IntersectionObserver(([entry], observer) => {
    if (!entry.isIntersecting || !canvas.clientWidth) return;
    observer.disconnect();
    draw();
  }, {rootMargin: "400px"}).observe(box);
  new ResizeObserver(() => {
    if (!graph || !canvas.clientWidth) return;
    graph.resize(canvas.clientWidth, canvas.clientHeight);
    placeCursor();
  }).observe(canvas);
  return {box, plot, refresh, tick: () => graph && (placeCursor(), showValues()), graph: () => graph, predicts,
    draw: () => graph || draw()};
}

// ---- all of them -----------------------------------------------------------------------------------

export function makePlots(data, clock, whatif) {
  const full = [data.start, data.end];
  const shared = {window: null, busy: false};
  let plots = [];
  const many = data.motion.rows > mostPoints;
  // One window for all.
  function setWindow(range, origin) {
    if (shared.busy) return;
    shared.busy = true;
    const whole = !range || (range[0] <= full[0] && range[1] >= full[1]);
    shared.window = whole ? null : range;
    for (const {graph, refresh} of plots) {
      if (!graph()) continue;
      if (many) refresh();
      else if (graph() !== origin || whole) graph().updateOptions({dateWindow: shared.window});
    }
    bands?.refresh();
    shared.busy = false;
  }
  shared.zoom = setWindow;
  shared.follow = (graph) => {
    const [low, high] = graph.xAxisRange(), now = shared.window || full;
    const pad = 1e-9 * (full[1] - full[0]) + (full[1] - full[0]) * 0.02;
    if (Math.abs(low - now[0]) > pad || Math.abs(high - now[1]) > pad) setWindow([low, high], graph);
  };
  const zoomBy = (factor) => {
    const [low, high] = shared.window || full, half = (high - low) / 2 * factor;
    const middle = clock.t >= low && clock.t <= high ? clock.t : (low + high) / 2;
    setWindow([Math.max(full[0], middle - half), Math.min(full[1], middle + half)]);
  };

  plots = listPlots(data).map((plot) => makePlot(data, plot, clock, whatif, shared));
  const bands = makeBands(data, clock, shared), panels = [...(bands ? [bands] : []), ...plots];
  const toggles = el("div", {class: "chips", role: "group", "aria-label": "Plots that are shown"},
    panels.map(({plot, box, draw}) => el("button", {type: "button", class: "toggle", "data-toggle": plot.id,
      "aria-pressed": String(Boolean(plot.shown)), onclick: (event) => {
        box.hidden = !box.hidden;
        event.currentTarget.setAttribute("aria-pressed", String(!box.hidden));
        if (!box.hidden) draw();
      }}, plot.title)));
  // Paper has its own width. Canvases that change their size while a page is printed come out empty:
  // they keep it, and are shown smaller.
  const areas = () => plots.filter(({graph}) => graph()).map(({box}) => box.querySelector(".plot"));
  addEventListener("beforeprint", () => areas().forEach((area) => {
    const width = area.clientWidth;
    if (width) Object.assign(area.style, {width: `${width}px`, zoom: Math.min(1, 620 / width)});
  }));
  addEventListener("afterprint", () => areas().forEach((area) => Object.assign(area.style, {width: "", zoom: ""})));
  clock.listen(() => panels.forEach(({tick}) => tick()));
  onTheme(() => plots.forEach(({refresh}) => refresh()));
  whatif.listen(() => plots.forEach(({predicts, refresh}) => predicts && refresh()));
  const tool = (label, text, action) =>
    el("button", {type: "button", class: "plain", "aria-label": label, onclick: action}, text);
  return section("plots", "Over time",
    "Drag to zoom, with shift to pan, double-click for all. The cursor moves the mechanism.",
    el("div", {class: "bar-row"}, toggles, el("div", {class: "tools"},
      tool("Zoom in at the cursor", "Zoom in", () => zoomBy(0.5)), tool("Zoom out", "Zoom out", () => zoomBy(2)),
      tool("Show all of the time", "All", () => setWindow(null)))),
    el("div", {class: "plot-grid"}, panels.map(({box}) => box)));
}
