// Plots over time, with dygraphs: one cursor and one window for all of them, events as marks, modes as
// bands, predictions and finite differences dashed.
import {makeBands} from "./bands.js";
import {onOurGrid} from "./compare.js";
import {byRange, groups, listPlots} from "./curves.js";
import {el, menu, section, selector} from "./dom.js";
import {savePng, saveSvg, stemOf, svgOf} from "./export.js";
import {formatNumber, withUnit} from "./format.js";
import {modeColours} from "./motion.js";
import {timeUnit} from "./names.js";
import {drawPlot, inkOf} from "./picture.js";
import {placeAt, valueAt} from "./series.js";
import {colour, onTheme, palette} from "./theme.js";

const firstShown = 8; // number of series shown at first; others can be switched on
const mostPoints = 3000; // largest number of points of a series in a picture
const paper = {width: 900, height: 420}; // size of a plot in a file

// ---- rows for dygraphs -----------------------------------------------------------------------------

// Of very many rows keeps, per stretch, the lowest and the highest of every series.
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
  let wanted = "", pick = plot.first ?? 0, graph = null, series = [], hidden = new Set();
  const canvas = el("div", {class: "plot", id: `plot-${plot.id}`});
  const cursor = el("div", {class: "cursor", "aria-hidden": "true"});
  const legend = el("div", {class: "legend", role: "group", "aria-label": `Series of ${plot.title}`});
  const colourOf = (text) => modeColours(data)(text);
  const predicts = plot.series(pick).some((s) => s.kind);
  const time = withUnit("t", timeUnit(data));

  // The corresponding quantity of the other motion.
  const others = new Map(data.other?.motion?.rows && !plot.pick ? shared.others.filter((p) => p.quantity === plot.quantity)
    .flatMap((p) => p.series(0).map((s) => [s.name, s])) : []);
  const otherColumn = ({name, factor = 1, whole}) => {
    const same = others.get(name);
    return same ? onOurGrid(data, whole ? same.whole.map((v) => factor * v) : same.column) : null;
  };
  function readSeries() {
    const prediction = whatif.beside();
    const ghosts = predicts && prediction && prediction.active;
    const all = plot.series(pick), list = all.length > firstShown ? byRange(all) : all;
    const scaled = (column, factor = 1) => (factor === 1 ? column : column.map((v) => factor * v));
    series = list.map((s) => ({...s, ghost: ghosts && s.kind ? scaled(prediction.onGrid(s.kind, s.index), s.factor) : otherColumn(s)}));
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
      if (out && series[i]) out.textContent = formatNumber(valueAt(series[i].whole ?? series[i].column, place), 5);
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
      }, ondblclick: () => {
        // Shows this series alone; if it is alone, all series.
        const alone = series.every((other) => (other === s) !== hidden.has(other.name));
        hidden = new Set(alone ? [] : series.filter((other) => other !== s).map((other) => other.name));
        makeLegend();
        graph?.updateOptions({visibility: visibility()});
      }}, el("i"), el("span", {class: "name", title: s.name}, plot.unit === s.unit ? s.name : withUnit(s.name, s.unit)), el("output", {}))));
    filter();
    showValues();
  }
  const filter = () => [...legend.children].forEach((chip, i) => (chip.hidden = !series[i].name.toLowerCase().includes(wanted)));

  function refresh() {
    if (!graph) return;
    readSeries();
    graph.updateOptions({...options(), file: tableOf(data, series, shared.window)});
    makeLegend();
    placeCursor();
  }
  function draw() {
    readSeries();
    // The legend is drawn here: the library's sets an attribute that the page's policy forbids.
    const {Dygraph} = window;
    Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);
    // A swipe scrolls the page: fingers are handled here.
    const {touchstart, touchmove, touchend, ...mouse} = Dygraph.defaultInteractionModel;
    graph = new Dygraph(canvas, tableOf(data, series, shared.window), {
      ...options(), width: canvas.clientWidth, height: canvas.clientHeight, interactionModel: mouse,
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
    canvas.append(cursor, el("span", {class: "axis-title", "aria-hidden": "true"}, time));
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "touch") return;
      clock.pause();
      clock.set(graph.toDataXCoord(event.clientX - canvas.getBoundingClientRect().left));
    });
    showValues();
    placeCursor();
  }

  // The legend is there before the curves are, so that nothing moves when they come.
  readSeries();
  hidden = new Set(series.slice(firstShown).map((s) => s.name));
  makeLegend();
  const file = `${stemOf(data)}-${plot.id}`;
  const drawOn = (g, width, height) => drawPlot(g, width, height, data, plot,
    series.map((s, i) => ({...s, dashed: s.over || s.ghost, ink: inkOf(i)})).filter((s) => !hidden.has(s.name)), shared.window, time);
  const saved = menu("Save", `Save the plot ${plot.title}`, [["PNG", `png-${plot.id}`, () => savePng(`${file}.png`, paper.width, paper.height, drawOn)],
    ["SVG", `svg-${plot.id}`, () => saveSvg(`${file}.svg`, paper.width, paper.height, drawOn)]]);
  const search = series.length > firstShown && el("input", {type: "search", class: "search", placeholder: `Find one of ${series.length}`,
    "aria-label": `Find a series of ${plot.title}`, oninput: (event) => {
      wanted = event.currentTarget.value.trim().toLowerCase();
      filter();
    }});
  const box = el("div", {class: "panel plot-panel", "data-plot": plot.id, hidden: !plot.shown},
    el("header", {}, el("h3", {}, plot.title, plot.unit && el("span", {class: "unit"}, ` [${plot.unit}]`)), search,
      plot.pick && plot.pick[1].length > 1 && selector(plot.pick[0], plot.pick[1], pick, (i) => {
        pick = i;
        refresh();
      }), saved),
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
  return {box, plot, area: canvas, refresh, svg: () => svgOf(paper.width, paper.height, drawOn), tick: () => graph && (placeCursor(), showValues()), graph: () => graph, predicts,
    draw: () => graph || draw()};
}

// ---- all of them -----------------------------------------------------------------------------------

export function makePlots(data, clock, whatif) {
  const full = () => [data.start, data.end];
  const shared = {window: null, busy: false, others: data.other?.motion?.rows ? listPlots(data.other) : []};
  let plots = [];
  const many = data.motion.rows > mostPoints;
  // One window for all.
  function setWindow(range, origin) {
    if (shared.busy) return;
    shared.busy = true;
    const whole = !range || (range[0] <= full()[0] && range[1] >= full()[1]);
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
    const [low, high] = graph.xAxisRange(), now = shared.window || full(), span = data.end - data.start;
    const pad = 1e-9 * span + 0.02 * span;
    if (Math.abs(low - now[0]) > pad || Math.abs(high - now[1]) > pad) setWindow([low, high], graph);
  };
  const zoomBy = (factor) => {
    const [low, high] = shared.window || full(), half = (high - low) / 2 * factor;
    const middle = clock.t >= low && clock.t <= high ? clock.t : (low + high) / 2;
    setWindow([Math.max(data.start, middle - half), Math.min(data.end, middle + half)]);
  };

  plots = listPlots(data).map((plot) => makePlot(data, plot, clock, whatif, shared));
  let bands = makeBands(data, clock, shared);
  const panels = [...(bands ? [bands] : []), ...plots];
  // One button per quantity, which may have a plot per unit.
  const quantities = [...new Map(panels.map(({plot}) => [plot.quantity, plot])).values()];
  const toggle = ({quantity, title, shown}) => el("button", {type: "button", class: "toggle", "data-toggle": quantity,
    "aria-pressed": String(Boolean(shown)), onclick: (event) => {
      const on = event.currentTarget.getAttribute("aria-pressed") !== "true";
      event.currentTarget.setAttribute("aria-pressed", String(on));
      for (const {plot, box, draw} of panels) {
        if (plot.quantity !== quantity) continue;
        box.hidden = !on;
        if (on) draw();
      }
    }}, title);
  const toggles = el("div", {class: "chip-groups"}, groups.map((group) => {
    const own = quantities.filter((plot) => plot.group === group);
    return own.length > 0 && el("div", {class: "chips", role: "group", "aria-label": `Plots: ${group}`}, el("span", {class: "group-name"}, group), own.map(toggle));
  }));
  clock.listen(() => panels.forEach(({tick}) => tick()));
  onTheme(() => plots.forEach(({refresh}) => refresh()));
  // A live page may have run the model again; the gradient follows a little later.
  let drawn = data.motion;
  function follow() {
    if (drawn === data.motion) return false;
    drawn = data.motion;
    const fresh = listPlots(data);
    for (const {plot} of plots) Object.assign(plot, fresh.find(({id}) => id === plot.id) ?? {series: () => []}, {shown: plot.shown});
    if (!bands) return true;
    const next = makeBands(data, clock, shared);
    next.box.hidden = bands.box.hidden;
    bands.box.replaceWith(next.box);
    panels[panels.indexOf(bands)] = next;
    bands = next;
    return true;
  }
  whatif.listen(() => {
    const all = follow() && data.motion.tangent;
    plots.forEach(({predicts, refresh}) => (predicts || all) && refresh());
  });
  const tool = (label, text, action) =>
    el("button", {type: "button", class: "plain", "aria-label": label, onclick: action}, text);
  return {panels, section: section("plots", "Over time",
    "Drag to zoom, with shift to pan, double-click for all. The cursor moves the mechanism.",
    el("div", {class: "bar-row"}, toggles, el("div", {class: "tools"},
      tool("Zoom in at the cursor", "Zoom in", () => zoomBy(0.5)), tool("Zoom out", "Zoom out", () => zoomBy(2)),
      tool("Show all of the time", "All", () => setWindow(null)))),
    el("div", {class: "plot-grid"}, panels.map(({box}) => box)))};
}
