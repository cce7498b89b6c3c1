// The head of the page: the model, its parts, the events, the costs, the strongest derivatives.
import {el} from "./dom.js";
import {formatNumber, formatPercent, plural} from "./format.js";
import {disagreement, elasticity} from "./gradient.js";

const shownTiles = 6;

// "4 bars, 2 springs": the parts of a mechanism.
function parts(data) {
  const words = {body: ["body", "bodies"], bar: ["bar", "bars"], rod: ["rod", "rods"], spring: ["spring", "springs"],
    coil: ["torsion spring", "torsion springs"], damper: ["damper", "dampers"], motor: ["motor", "motors"],
    gear: ["gear", "gears"]};
  const own = (s) => (s.shape === "gear" ? s.name : String(s.numbers)); // both wheels of a gear have its name
  const count = (kind) => new Set(data.drawing.shapes.filter((s) => s.shape === kind).map(own)).size;
  return Object.entries(words).map(([kind, [one, more]]) => [count(kind), one, more]).filter(([k]) => k > 0)
    .map(([k, one, more]) => `${k}\u00a0${k > 1 ? more : one}`).join(", ");
}

function moved(data) {
  const {model} = data, n = model.coordinates.length, m = model.constraints.length, made = parts(data);
  return [made && `${made}: `, plural(n, "coordinate"), m ? ` under ${plural(m, "constraint")}` : "", ", from t\u00a0=\u00a0",
    formatNumber(data.start, 4), " to ", formatNumber(data.end, 4), "."];
}

// "corner + - -" and "corner - - -" are one kind of event: names are counted by their first word, "1 on 2" by all of them.
export function stem(name) {
  const [whole] = name.split(/[.@#]/), [first] = whole.split(/\s/);
  return (/^\p{L}{2}/u.test(first) ? first : whole) || name;
}

function happened(data) {
  const count = new Map();
  for (const {name} of data.events) count.set(stem(name), (count.get(stem(name)) || 0) + 1);
  if (!count.size) return ["Nothing: the motion is smooth."];
  const names = [...count].sort((a, b) => b[1] - a[1]);
  return [el("a", {href: "#events"}, plural(data.events.length, "event")), ": ",
    names.slice(0, 3).map(([name, k]) => (k > 1 ? `${name} \u00d7\u202f${k}` : name)).join(", "), names.length > 3 ? " \u2026" : "",
    `; the first at t\u00a0=\u00a0${formatNumber(data.events[0].time, 4)}.`];
}

const valueOf = ({value}) => (Number.isFinite(value) ? formatNumber(value, 4) : "not reached");

function tile(cost) {
  const known = Number.isFinite(cost.value);
  return el("div", {class: "tile", "data-cost": cost.name, title: cost.doc || undefined},
    el("dd", {class: "tile-value", title: known ? String(cost.value) : undefined}, valueOf(cost)),
    el("dt", {}, cost.name, cost.unit && el("span", {class: "unit"}, ` ${cost.unit}`)));
}

function measured(data) {
  if (!data.costs.length) return el("p", {}, "Nothing: the model has no costs.");
  const rest = data.costs.length - shownTiles;
  const long = data.costs.slice(0, shownTiles).some((cost) => valueOf(cost).length > 7);
  return el("dl", {class: long ? "tiles long" : "tiles"}, data.costs.slice(0, shownTiles).map(tile),
    rest > 0 && el("div", {class: "tile more"}, el("dt", {}, el("a", {href: "#model"}, `${rest} more`)), el("dd", {hidden: true}, "")));
}

function says(data) {
  if (!data.methods.discrete?.gradient || !data.wrt.length || !data.costs.length) return ["There is no gradient: see ", el("a", {href: "#gradient"}, "why"), "."];
  // For the first cost that is not nearly zero: near zero, percentages are large without meaning.
  const tops = data.costs.map((cost, i) => data.wrt.map((p, k) => ({cost, p, e: elasticity(data, i, k)}))
    .filter(({e}) => Number.isFinite(e)).reduce((a, b) => (a && Math.abs(a.e) >= Math.abs(b.e) ? a : b), null));
  const best = tops.find((top) => top && top.e !== 0 && Math.abs(top.e) <= 10) || tops.find((top) => top && top.e !== 0);
  const all = plural(data.costs.length * data.wrt.length, "derivative");
  if (!best) return [`${all}, by four methods.`];
  const meaning = (doc) => (doc && doc.length <= 48 ? ` (${doc})` : "");
  return ["One per cent more ", el("b", {}, best.p.name), meaning(best.p.doc), " changes ", el("b", {}, best.cost.name), meaning(best.cost.doc), " by ",
    `${best.e > 0 ? "+" : ""}${formatPercent(best.e)}; `, el("a", {href: "#gradient"}, `${all} in all`), "."];
}

function trust(data) {
  if (!data.checks) return null;
  const failed = data.checks.filter((c) => c.result === "fail").length, passed = data.checks.filter((c) => c.result === "pass").length;
  const worst = Math.max(...["adjoint", "direct"].map((m) => disagreement(data, m)).filter(Number.isFinite));
  if (failed) return el("a", {class: "verdict bad", href: "#check"}, `${failed} of ${failed + passed} checks failed`);
  if (!passed) return null;
  return el("a", {class: "verdict good", href: "#check"}, `${plural(passed, "check")} passed`,
    Number.isFinite(worst) && data.wrt.length ? el("span", {class: "wide"}, `, the methods agree to ${formatNumber(worst, 1)}`) : "");
}

function banner(data) {
  const {error, warnings} = data.result, list = [];
  const smooth = error && ["ERR_GRAZING", "ERR_NO_GRADIENT"].includes(error.status); // the run itself is fine
  if (error) list.push(el("div", {class: "banner bad", role: "alert"},
    el("b", {}, smooth ? "There is no gradient. " : "The run could not go on. "), error.message,
    !smooth && el("div", {}, `What is shown ends at t\u00a0=\u00a0${formatNumber(data.end, 5)}.`)));
  if (warnings.length) list.push(el("details", {class: "banner warn", open: warnings.length < 3 && warnings.join("").length < 300},
    el("summary", {}, plural(warnings.length, "warning")), el("ul", {}, warnings.slice(0, 8).map((text) => el("li", {}, text))),
    warnings.length > 8 && el("p", {}, `and ${warnings.length - 8} more`)));
  return list;
}

// The description in the script: two lines, and more on request. Words in backticks are code.
function about(text) {
  const words = (text[0].toUpperCase() + text.slice(1)).split("`");
  const body = el("p", {class: "about", id: "about"}, words.map((part, i) => (i % 2 && i < words.length - 1 ? el("code", {}, part) : i % 2 ? `\`${part}` : part)));
  const more = el("button", {type: "button", class: "link", "aria-expanded": "false", "aria-controls": "about", hidden: true, onclick: () => {
    const open = body.classList.toggle("open");
    more.setAttribute("aria-expanded", String(open));
    more.textContent = open ? "Less" : "More";
  }}, "More");
  new ResizeObserver(() => {
    if (!body.classList.contains("open")) more.hidden = body.scrollHeight <= body.clientHeight + 1;
  }).observe(body);
  return el("div", {class: "about-row"}, body, more);
}

export const makeTitle = (data) => el("header", {class: "head", id: "top"},
  el("div", {class: "title-row"}, el("h1", {}, data.model.name || data.result.script.file), trust(data)),
  data.model.doc && about(data.model.doc), banner(data));

export function makeFacts(data) {
  const fact = (title, ...content) => el("div", {class: "fact"}, el("h2", {}, title), ...content);
  return el("div", {class: "facts-row panel"}, fact("What was measured", measured(data)), fact("What moved", el("p", {}, ...moved(data))),
    fact("What happened", el("p", {}, ...happened(data))), fact("What the gradient says", el("p", {}, ...says(data))));
}
