// The page of a sweep: a map of sequences of events, distributions, scatter, tables.

import {chart, colourOf} from "./sweep_chart.js";
import {boundaries, column, count, every, grid, groupOf, hasFailed, ofKind, OTHERS, parameters, result, sequenceName,
  sequences, textAt, valuesOf} from "./sweep_data.js";
import {el, numberCell, scroller, section, selector, svg} from "./dom.js";
import {formatNumber, formatPercent, plural, withUnit} from "./format.js";
import {isDark, onTheme, toggleTheme} from "./theme.js";

const measures = ofKind("cost", "final");
const numbers = [...parameters, ...measures, ...ofKind("derivative", "count"), column("t_end"), column("steps"),
  column("events")];
const BINS = 36;
const ROWS = 30; // number of rows in tables of points

// ---- one point

const command = el("code", {id: "point-command", "aria-live": "polite"});
const charts = [];
function pick(row) {
  const quoted = (text) => (/^[\w./=+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
  const settings = parameters.map((p) => `--set ${quoted(`${p.name}=${p.values[row]}`)}`).join(" ");
  command.textContent = `saltus run ${quoted(result.script.file)} ${settings}`;
  charts.forEach((c) => c.choose(row));
}
const pointButton = (row) => el("button", {type: "button", class: "link", onclick: () => {
  pick(row);
  document.getElementById("map").scrollIntoView();
}}, String(column("point").values[row]));

// ---- colours

const groups = [
  ...sequences.slice(0, OTHERS).map((s, i) => ({group: i, name: sequenceName(s.text), rows: s.rows.length})),
  {group: OTHERS, name: `${plural(sequences.length - OTHERS, "other sequence")}`,
    rows: sequences.slice(OTHERS).reduce((sum, s) => sum + s.rows.length, 0)},
  {group: -1, name: "failed", rows: hasFailed.filter(Boolean).length},
].filter((g) => g.rows > 0);
const hidden = new Set();

const paints = [];
function swatch(group) {
  const mark = el("span", {class: "swatch"});
  const paint = () => mark.style.setProperty("--swatch", colourOf(group));
  paints.push(paint);
  paint();
  return mark;
}
onTheme(() => paints.forEach((paint) => paint()));

const keys = () => el("div", {class: "keys", role: "group", "aria-label": "sequences of events"}, groups.map((g) =>
  el("button", {type: "button", class: "key", "aria-pressed": "true", "data-group": g.group, title: g.name, onclick: () => {
    if (!hidden.delete(g.group)) hidden.add(g.group);
    document.querySelectorAll(`.key[data-group="${g.group}"]`).forEach((key) =>
      key.setAttribute("aria-pressed", String(!hidden.has(g.group))));
    charts.forEach((c) => c.hide(new Set(hidden)));
  }}, swatch(g.group), el("span", {class: "name"}, g.name), el("output", {}, formatPercent(100 * g.rows / count)))));

// ---- a chart with its axes

function plane(label, height, horizontal, vertical, startX, startY, options) {
  let x = startX, y = startY;
  const one = chart(label, height, {pick, ...options(() => [horizontal[x], vertical[y]])});
  const show = () => one.show(horizontal[x], vertical[y]);
  charts.push(one);
  const tools = el("div", {class: "map-tools"},
    horizontal.length > 1 && selector("across", horizontal.map((c) => withUnit(c.name, c.unit)), x, (i) => { x = i; show(); }),
    vertical.length > 1 && selector("up", vertical.map((c) => withUnit(c.name, c.unit)), y, (i) => { y = i; show(); }));
  queueMicrotask(show);
  return [tools, one.element];
}

// ---- sections

function head() {
  const failed = hasFailed.filter(Boolean).length;
  const fact = (title, text, note) => el("div", {class: "fact"}, el("h2", {}, title), el("p", {}, text), note && el("p", {class: "note"}, note));
  const spans = parameters.map((p) => {
    const values = valuesOf(p);
    return `${withUnit(p.name, p.unit)} from ${formatNumber(values[0], 5)} to ${formatNumber(values[values.length - 1], 5)}`;
  });
  return el("header", {class: "head"},
    el("p", {class: "kicker"}, "Sweep"),
    el("h1", {}, result.model || result.script.file),
    result.failed
      ? el("a", {class: "verdict bad", href: "#points"}, `${result.failed} of ${plural(result.done, "point")} failed`)
      : el("span", {class: "verdict good"}, `all ${plural(result.done, "point")} could be simulated`),
    result.done < result.points && el("p", {class: "banner warn"},
      `${result.done} of ${result.points} points are done; --resume computes the others.`),
    every > 1 && el("p", {class: "banner warn"},
      `Drawings show every ${every}th point, and colours follow from those; tables of statistics have all of them.`),
    el("div", {class: "facts-row"},
      fact("Points", `${result.done}`, grid ? `a grid of ${grid.values.map((v) => v.length).join(" \u00d7 ")}` : "a sample"),
      fact("Parameters", spans.slice(0, 4).join("; "), spans.length > 4 && `and ${spans.length - 4} more`),
      fact("Sequences of events", String(result.sequences?.length ?? sequences.length),
        sequences.length && `most often: ${sequenceName(sequences[0].text)}`),
      fact("Failed", String(result.failed ?? failed), result.failures?.[0]?.error)));
}

function map() {
  const flat = parameters.length < 2 || valuesOf(parameters[0]).length < 2 || valuesOf(parameters[1]).length < 2;
  const moving = parameters.filter((p) => valuesOf(p).length > 1);
  const across = moving.length ? moving : parameters;
  const up = moving.length > 1 ? moving : numbers.filter((c) => !parameters.includes(c));
  const lead = moving.length > 1
    ? "Which events happen, in which order. Across a line the order changes: costs may jump or have a kink there."
    : "Where the colour changes, another sequence of events begins: costs may jump or have a kink there.";
  const regions = () => moving.length === 2; // with more parameters, points lie over each other
  return section("map", flat && moving.length < 2 ? "Sequences along the parameter" : "Map of the sequences of events", lead,
    el("div", {class: "panel map-panel"},
      ...plane("Sequences of events", 520, across, up, 0, moving.length > 1 ? 1 : 0, (axes) => ({
        background: () => regions() && axes()[0] !== axes()[1],
        joined: () => moving.length === 1,
      })),
      keys(),
      el("p", {class: "note"}, "Choose a point to see the command that shows its motion. Choose a sequence to hide it."),
      command));
}

function histogram(measure) {
  const rows = [];
  for (let row = 0; row < count; row++) if (!hasFailed[row] && Number.isFinite(measure.values[row])) rows.push(row);
  if (!rows.length) return null;
  const sorted = rows.map((row) => measure.values[row]).sort((a, b) => a - b);
  const low = sorted[0], high = sorted[sorted.length - 1], width = 320, height = 120, base = 96;
  const bins = Array.from({length: BINS}, () => new Map());
  for (const row of rows) {
    const place = high > low ? Math.min(BINS - 1, Math.floor((measure.values[row] - low) / (high - low) * BINS)) : BINS >> 1;
    bins[place].set(groupOf[row], (bins[place].get(groupOf[row]) || 0) + 1);
  }
  const most = Math.max(...bins.map((bin) => [...bin.values()].reduce((a, b) => a + b, 0)));
  const at = (value) => (high > low ? (value - low) / (high - low) * width : width / 2);
  const quantile = (part) => sorted[Math.round(part * (sorted.length - 1))];
  const bars = [];
  bins.forEach((bin, i) => {
    let top = base;
    [...bin].sort((a, b) => a[0] - b[0]).forEach(([group, size]) => {
      const tall = size / most * (base - 6);
      const bar = svg("rect", {x: i * width / BINS, y: top -= tall, width: width / BINS - 1, height: tall});
      const paint = () => bar.setAttribute("fill", colourOf(group));
      paints.push(paint);
      paint();
      bars.push(bar);
    });
  });
  const s = result.statistics?.[measure.name];
  return el("div", {class: "panel"},
    el("h3", {}, withUnit(measure.name, measure.unit)),
    s && el("p", {class: "note"}, `mean ${formatNumber(s.mean, 5)}, standard deviation ${formatNumber(s.sd, 3)}`),
    svg("svg", {class: "histogram", viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": `Distribution of ${measure.name}`},
      bars, svg("line", {class: "axis", x1: 0, x2: width, y1: base, y2: base}),
      svg("line", {class: "middle-half", x1: at(quantile(0.05)), x2: at(quantile(0.95)), y1: base + 5, y2: base + 5}),
      svg("circle", {class: "median", cx: at(quantile(0.5)), cy: base + 5, r: 3}),
      svg("text", {x: 0, y: height - 1}, formatNumber(low, 5)),
      svg("text", {x: width, y: height - 1, class: "end"}, formatNumber(high, 5))));
}

const distributions = () => measures.length > 0 && section("distributions", "Distributions",
  "How often which value occurs, coloured by sequence. The dot is the median; between the ends of the line below the bars are 90 % of the points.",
  el("div", {class: "histograms"}, measures.map(histogram)));

function scatter() {
  const y = numbers.indexOf(measures[0] ?? numbers[0]);
  return section("scatter", "Any quantity over any other", null,
    el("div", {class: "panel map-panel"},
      ...plane("Scatter of two quantities", 420, numbers, numbers, 0, y, () => ({})), keys()));
}

function statistics() {
  const entries = Object.entries(result.statistics || {});
  if (!entries.length) return null;
  const shown = ["mean", "sd", "min", "q05", "median", "q95", "max"];
  return section("statistics", "Statistics", "Of all points that could be simulated.",
    el("div", {class: "panel"}, scroller("Statistics", el("table", {class: "grid", id: "statistics-table"},
      el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "quantity"),
        ["mean", "sd", "min", "5 %", "median", "95 %", "max"].map((t) => el("th", {scope: "col", class: "num"}, t)))),
      el("tbody", {}, entries.map(([name, s]) => el("tr", {}, el("th", {scope: "row"}, name),
        shown.map((key) => numberCell("td", s[key], formatNumber(s[key], 6))))))))));
}

function sequenceTable() {
  const list = sequences.slice(0, ROWS);
  const span = (p, rows) => {
    let low = Infinity, high = -Infinity;
    rows.forEach((row) => { low = Math.min(low, p.values[row]); high = Math.max(high, p.values[row]); });
    return low === high ? formatNumber(low, 4) : `${formatNumber(low, 4)} \u2026 ${formatNumber(high, 4)}`;
  };
  return el("div", {class: "panel"}, scroller("Sequences of events", el("table", {class: "grid", id: "sequence-table"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "sequence"), el("th", {scope: "col", class: "num"}, "points"),
      el("th", {scope: "col", class: "num"}, "share"), parameters.slice(0, 4).map((p) => el("th", {scope: "col", class: "num"}, p.name)),
      el("th", {scope: "col", class: "num"}, "first"))),
    el("tbody", {}, list.map((s, i) => el("tr", {},
      el("th", {scope: "row", class: "sequence-name"}, swatch(Math.min(i, OTHERS)), " ", sequenceName(s.text)),
      numberCell("td", s.rows.length, String(s.rows.length)), numberCell("td", s.rows.length / count, formatPercent(100 * s.rows.length / count)),
      parameters.slice(0, 4).map((p) => el("td", {class: "num"}, span(p, s.rows))),
      el("td", {class: "num"}, pointButton(s.rows[0]))))))),
    sequences.length > ROWS && el("p", {class: "note"}, `and ${sequences.length - ROWS} more`));
}

function boundaryTable() {
  const found = boundaries();
  if (!found.length) return null;
  const name = (row) => (hasFailed[row] ? "failed" : sequenceName(textAt("sequence", row)));
  const group = (row) => groupOf[row];
  return el("div", {class: "panel"}, el("h3", {}, "Where the sequence changes"),
    scroller("Changes of the sequence", el("table", {id: "boundary-table"},
      el("thead", {}, el("tr", {}, el("th", {}, "when"), el("th", {}, "from"), el("th", {}, "to"),
        el("th", {class: "num"}, "places"), el("th", {}, "for example between"))),
      el("tbody", {}, found.slice(0, ROWS).map((b) => el("tr", {}, el("td", {}, `${b.parameter.name} grows`),
        el("td", {class: "sequence-name"}, swatch(group(b.below)), " ", name(b.below)),
        el("td", {class: "sequence-name"}, swatch(group(b.above)), " ", name(b.above)),
        numberCell("td", b.places, String(b.places)),
        el("td", {}, `${formatNumber(b.parameter.values[b.below], 6)} and ${formatNumber(b.parameter.values[b.above], 6)}, points `,
          pointButton(b.below), " and ", pointButton(b.above))))))),
    found.length > ROWS && el("p", {class: "note"}, `and ${found.length - ROWS} more`));
}

const sequencesSection = () => section("sequences", "Sequences of events", null, sequenceTable(), boundaryTable());

function pointTable(title, id, rows, last, value) {
  return el("div", {class: "panel"}, el("h3", {}, title),
    scroller(title, el("table", {id},
      el("thead", {}, el("tr", {}, el("th", {class: "num"}, "point"),
        parameters.slice(0, 6).map((p) => el("th", {class: "num"}, p.name)), el("th", {}, last))),
      el("tbody", {}, rows.slice(0, ROWS).map((row) => el("tr", {}, el("td", {class: "num"}, pointButton(row)),
        parameters.slice(0, 6).map((p) => numberCell("td", p.values[row], formatNumber(p.values[row], 6))),
        el("td", {class: "message"}, value(row))))))),
    rows.length > ROWS && el("p", {class: "note"}, `and ${rows.length - ROWS} more`));
}

function points() {
  const all = Array.from({length: count}, (_, row) => row);
  const failed = all.filter((row) => hasFailed[row]);
  const steps = column("steps").values;
  const slow = all.filter((row) => steps[row] > 0).sort((a, b) => steps[b] - steps[a]).slice(0, 10);
  const middle = [...steps].filter((n) => n > 0).sort((a, b) => a - b);
  const median = middle.length ? middle[middle.length >> 1] : 1;
  return section("points", "Failed and slow points", "A failed run is a result, too: its place and reason are informative.",
    failed.length > 0 && pointTable("Failed", "failed-table", failed, "why", (row) => textAt("message", row)),
    pointTable("Most steps", "slow-table", slow, "steps tried", (row) =>
      `${steps[row]}, ${formatNumber(steps[row] / median, 3)} times the median`));
}

function navigation(sections) {
  const theme = el("button", {type: "button", class: "plain", onclick: () => { toggleTheme(); name(); }});
  const name = () => { theme.textContent = isDark() ? "light" : "dark"; };
  name();
  return el("nav", {"aria-label": "Sections"}, el("div", {class: "nav-inner"},
    el("div", {class: "links"}, sections.map((s) => el("a", {href: `#${s.id}`}, s.querySelector("h2").textContent))), theme));
}

const sections = [map(), distributions(), scatter(), sequencesSection(), statistics(), points()].filter(Boolean);
document.getElementById("page").replaceChildren(navigation(sections), el("main", {}, head(), ...sections),
  el("footer", {}, `Saltus ${result.saltus}, ${result.script.file}, SHA-256 ${result.script.sha256.slice(0, 12)}\u2026`));
