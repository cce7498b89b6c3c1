// The gradient: a table of costs by parameters, how well the methods agree, and which parameters matter.
import {choice, el, numberCell, scroller, section, selector, svg} from "./dom.js";
import {formatNumber, withUnit} from "./format.js";

const methodNames = {discrete: "discrete adjoint", adjoint: "continuous adjoint", direct: "direct",
  fd: "finite differences"};

const foldAbove = 24, strongRows = 16; // parameters: more than that are folded to the strongest

// The scale that differences of a row are judged by: its largest entry, or what the value suggests.
function scaleOf(data, i) {
  const row = data.methods.discrete.gradient[i];
  const value = Math.abs(data.costs[i].value ?? 0);
  return Math.max(...row.map((d) => Math.abs(d ?? 0)),
    ...data.wrt.map((p) => value / Math.max(1, Math.abs(p.value))), 1e-12);
}

// Relative to absolute values, so that it has the sign of the derivative.
export const elasticity = (data, i, k) => {
  const value = data.costs[i].value, d = data.methods.discrete?.gradient?.[i]?.[k];
  return value ? d * Math.abs(data.wrt[k].value) / Math.abs(value) : NaN;
};

// The largest difference of a method from the discrete adjoint.
export function disagreement(data, method) {
  const other = data.methods[method]?.gradient, best = data.methods.discrete?.gradient;
  if (!other || !best) return NaN;
  let worst = 0;
  best.forEach((row, i) => row.forEach((d, k) =>
    (worst = Math.max(worst, Math.abs(d - other[i][k]) / scaleOf(data, i)))));
  return worst;
}

function spread(data, i, k) {
  const values = Object.values(data.methods).map((m) => m.gradient?.[i]?.[k]).filter(Number.isFinite);
  return (Math.max(...values) - Math.min(...values)) / scaleOf(data, i);
}

const views = [
  {label: "Derivative", title: "d cost / d parameter; all digits are in the title of a cell", digits: 3,
    value: (data, i, k) => data.methods.discrete.gradient[i][k]},
  {label: "Elasticity", title: "relative change of the cost by relative change of the parameter, |\u03c1|/|\u03c8| \u00b7 d\u03c8/d\u03c1",
    digits: 3, value: elasticity},
  {label: "Spread", title: "largest difference of two methods, by the size of the row", digits: 2, value: spread, plain: true},
];

// The shade of a cell: its strength is the effect of a relative change, within the row; its colour is the sign.
function shade(data, i, k, value) {
  const effect = (j) => Math.abs(data.methods.discrete.gradient[i][j] * data.wrt[j].value);
  const most = Math.max(...data.wrt.map((_, j) => effect(j)).filter(Number.isFinite), 1e-300);
  if (!Number.isFinite(value)) return null;
  const strength = Math.round(38 * effect(k) / most);
  return `--shade: color-mix(in srgb, var(--${value >= 0 ? "positive" : "negative"}) ${strength}%, transparent)`;
}

// The longer list, costs or parameters, makes the rows.
function table(data, view) {
  const name = ({name: text, unit, doc}, scope) => el("th", {scope, class: scope === "col" ? "num" : null, title: doc || undefined},
    text, unit && el("span", {class: "unit"}, unit));
  const cell = (i, k) => {
    const value = view.value(data, i, k);
    return numberCell("td", value, formatNumber(value, view.digits), {"data-cost": data.costs[i].name,
      "data-param": data.wrt[k].name, class: "shaded", style: view.plain ? null : shade(data, i, k, value)});
  };
  const worth = (thing, attributes) => numberCell("td", thing.value, formatNumber(thing.value, 5), attributes);
  const down = data.wrt.length > data.costs.length;
  const [rows, columns] = down ? [data.wrt, data.costs] : [data.costs, data.wrt];
  return el("table", {id: "gradient-table", class: "grid"},
    el("caption", {}, view.title),
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, down ? "Parameter" : "Cost"), el("th", {scope: "col", class: "num"}, "Value"),
      columns.map((thing) => name(thing, "col")))),
    el("tbody", {},
      el("tr", {class: "worth"}, el("th", {scope: "row"}, "Value"), el("td", {}),
        columns.map((thing) => worth(thing, {[down ? "data-cost-value" : "data-param-value"]: thing.name}))),
      rows.map((thing, r) => el("tr", {}, name(thing, "row"),
        worth(thing, {[down ? "data-param-value" : "data-cost-value"]: thing.name}),
        columns.map((_, c) => (down ? cell(c, r) : cell(r, c)))))));
}

// The parameters, by their places in data.wrt, whose relative change changes some cost most.
export function strongestParams(data, count) {
  const strength = data.wrt.map((_, k) => Math.max(0, ...data.costs.map((_, i) => Math.abs(elasticity(data, i, k)) || 0)));
  return new Set(data.wrt.map((_, k) => k).sort((a, b) => strength[b] - strength[a]).slice(0, count));
}

// Of many parameters only the strongest rows, and a button for all.
function folded(data, view) {
  const whole = table(data, view);
  if (data.wrt.length <= foldAbove || data.wrt.length <= data.costs.length) return [whole];
  const shown = strongestParams(data, strongRows);
  const rows = [...whole.querySelectorAll("tbody tr:not(.worth)")].filter((_, k) => !shown.has(k));
  rows.forEach((row) => (row.hidden = true));
  return [whole, el("button", {type: "button", class: "plain", onclick: (event) => {
    rows.forEach((row) => (row.hidden = false));
    event.currentTarget.remove();
  }}, `Show all ${data.wrt.length} parameters, not only the strongest`)];
}

function agreement(data) {
  if (Object.keys(data.methods).length < 2)
    return el("div", {class: "panel"}, el("h3", {}, "One method, in the page"),
      el("p", {class: "note"}, "This gradient was computed here, by the discrete adjoint. The report, or ", el("code", {}, "saltus check"), ", compares four methods."));
  const rows = Object.entries(data.methods).map(([method, {error}]) => {
    const value = disagreement(data, method);
    return el("tr", {"data-method": method}, el("th", {scope: "row"}, methodNames[method]),
      el("td", {class: "num"}, error ? "\u2013" : method === "discrete" ? "reference" : formatNumber(value, 2)),
      el("td", {}, error || (method === "discrete" ? "shown in the table" : "")));
  });
  return el("div", {class: "panel"}, el("h3", {}, "Four methods, one answer"),
    el("p", {class: "note"}, "The largest difference from the discrete adjoint, relative to the gradient of the cost."),
    el("table", {id: "agreement"}, el("tbody", {}, rows)));
}

// Bars to both sides of zero, the longest first.
function bars(data, i) {
  const list = data.wrt.map((p, k) => ({name: p.name, value: elasticity(data, i, k)}))
    .filter((row) => Number.isFinite(row.value)).sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, 16);
  if (!list.length || list[0].value === 0)
    return el("p", {class: "note"}, data.costs[i].value === 0 || data.costs[i].value === null
      ? "The cost is zero: it has no elasticities." : "This cost does not depend on the parameters.");
  const most = Math.abs(list[0].value), row = 26, small = innerWidth < 600;
  const width = small ? 330 : 560, left = small ? 84 : 120, right = small ? 56 : 70, middle = left + (width - left - right) / 2;
  const half = (width - left - right) / 2 - 4;
  return svg("svg", {viewBox: `0 0 ${width} ${row * list.length + 8}`, class: "bars", role: "img",
    "aria-label": `Elasticities of ${data.costs[i].name}: ${list.map((r) => `${r.name} ${formatNumber(r.value, 3)}`).join(", ")}`},
  svg("line", {x1: middle, x2: middle, y1: 0, y2: row * list.length + 4, class: "axis"}),
  list.map(({name, value}, n) => {
    const length = Math.max(1, half * Math.abs(value) / most), y = row * n + 6;
    const x = value >= 0 ? middle : middle - length;
    return svg("g", {},
      svg("text", {x: left - 12, y: y + 12, class: "bar-name"}, name.length > left / 8 ? `${name.slice(0, left / 8 - 1)}\u2026` : name),
      svg("rect", {x, y, width: length, height: row - 10, rx: 2, class: value >= 0 ? "positive" : "negative"}),
      svg("text", {x: width - 4, y: y + 12, class: "bar-value"}, formatNumber(value, 3)));
  }));
}

function importance(data) {
  const strongest = data.costs.map((_, i) => Math.max(...data.wrt.map((_, k) => Math.abs(elasticity(data, i, k)) || 0)));
  const first = Math.max(0, strongest.findIndex((v) => v > 0));
  const picture = el("div", {class: "picture"}, bars(data, first));
  return el("div", {class: "panel importance"}, el("h3", {}, "Which parameters matter"),
    selector("for", data.costs.map((c) => withUnit(c.name, c.unit)), first, (i) => picture.replaceChildren(bars(data, i))),
    el("p", {class: "note"}, "By how many per cent of its size the cost changes if the parameter grows by one per cent of its size."), picture);
}

export function makeGradient(data) {
  const lead = "How each cost responds to each parameter, through every event.";
  if (!data.methods.discrete?.gradient || !data.wrt.length || !data.costs.length) {
    const why = data.methods.discrete?.error || (!data.costs.length ? "The model measures nothing: it has no costs."
      : !data.wrt.length ? "The model has no parameter that is not fixed." : "The gradient could not be computed.");
    return section("gradient", "The gradient", lead, el("p", {class: "panel note"}, why));
  }
  const holder = scroller("Table of derivatives", ...folded(data, views[0]));
  return section("gradient", "The gradient", lead,
    el("div", {class: "panel"},
      choice("What the table shows", views.map((v) => v.label), 0, (i) => holder.replaceChildren(...folded(data, views[i]))),
      holder,
      el("p", {class: "note"}, el("span", {class: "swatch positive"}), " positive ",
        el("span", {class: "swatch negative"}), " negative; the stronger, the more a relative change of the parameter matters to the cost.")),
    el("div", {class: "columns"}, importance(data), agreement(data)));
}
