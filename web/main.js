// The page, put together from its data.
import {makeChecks} from "./checks.js";
import {makeClock} from "./clock.js";
import {readData} from "./data.js";
import {el, section} from "./dom.js";
import {makeDownloads} from "./download.js";
import {makeEvents} from "./events.js";
import {formatNumber, formatPercent, plural} from "./format.js";
import {disagreement, elasticity, makeGradient} from "./gradient.js";
import {makeModel, makeScript} from "./model.js";
import {makeMotion} from "./motion.js";
import {makePlots} from "./plots.js";
import {isDark, onTheme, toggleTheme} from "./theme.js";
import {makeWhatif} from "./whatif.js";

// ---- the head: what moved, what hit, what was measured, what the gradient says ------------------------

// "4 bars, 2 springs": what a mechanism is made of.
function parts(data) {
  const words = {body: ["body", "bodies"], bar: ["bar", "bars"], rod: ["rod", "rods"], spring: ["spring", "springs"],
    coil: ["torsion spring", "torsion springs"], damper: ["damper", "dampers"], motor: ["motor", "motors"]};
  const count = (kind) => new Set(data.drawing.shapes.filter((s) => s.shape === kind).map((s) => String(s.numbers))).size;
  return Object.entries(words).map(([kind, [one, more]]) => [count(kind), one, more]).filter(([k]) => k > 0)
    .map(([k, one, more]) => `${k}\u00a0${k > 1 ? more : one}`).join(", ");
}

function moved(data) {
  const {model} = data, n = model.coordinates.length, m = model.constraints.length, made = parts(data);
  return [made && `${made}: `, plural(n, "coordinate"), m ? ` under ${plural(m, "constraint")}` : "", ", from t\u00a0=\u00a0",
    formatNumber(data.start, 4), " to ", formatNumber(data.end, 4), "."];
}

function hit(data) {
  const count = new Map();
  for (const {name} of data.events) count.set(name, (count.get(name) || 0) + 1);
  if (!count.size) return ["Nothing: the motion is smooth."];
  const names = [...count].sort((a, b) => b[1] - a[1]);
  return [`${plural(data.events.length, "event")}: `,
    names.slice(0, 3).map(([name, k]) => (k > 1 ? `${name} \u00d7\u202f${k}` : name)).join(", "), names.length > 3 ? " \u2026" : "",
    `; the first at t\u00a0=\u00a0${formatNumber(data.events[0].time, 4)}.`];
}

function measured(data) {
  if (!data.costs.length) return ["Nothing: the model has no costs."];
  const shown = data.costs.slice(0, 3).map((c) => `${c.name} = ${formatNumber(c.value, 4)}${c.unit ? `\u00a0${c.unit}` : ""}`);
  return [data.costs.length > 3 ? `${plural(data.costs.length, "cost")}: ` : "", shown.join(", "), data.costs.length > 3 ? " \u2026" : "."];
}

function says(data) {
  if (!data.methods.discrete?.gradient || !data.wrt.length || !data.costs.length) return ["There is no gradient: see below."];
  // Of the first cost whose size says something: near zero, per cents are large for no reason.
  const tops = data.costs.map((cost, i) => data.wrt.map((p, k) => ({cost, p, e: elasticity(data, i, k)}))
    .filter(({e}) => Number.isFinite(e)).reduce((a, b) => (a && Math.abs(a.e) >= Math.abs(b.e) ? a : b), null));
  const best = tops.find((top) => top && top.e !== 0 && Math.abs(top.e) <= 10) || tops.find((top) => top && top.e !== 0);
  if (!best) return [`${plural(data.costs.length * data.wrt.length, "derivative")}, by four methods.`];
  const meaning = (doc) => (doc && doc.length <= 48 ? ` (${doc})` : "");
  return ["One per cent more ", el("b", {}, best.p.name), meaning(best.p.doc), " changes ", el("b", {}, best.cost.name), meaning(best.cost.doc), " by ",
    `${best.e > 0 ? "+" : ""}${formatPercent(best.e)}; `, `${data.costs.length * data.wrt.length} derivatives in all.`];
}

function trust(data) {
  const failed = data.checks.filter((c) => c.result === "fail").length, passed = data.checks.filter((c) => c.result === "pass").length;
  const worst = Math.max(...["adjoint", "direct"].map((m) => disagreement(data, m)).filter(Number.isFinite));
  if (failed) return el("a", {class: "verdict bad", href: "#check"}, `${failed} of ${failed + passed} checks failed`);
  if (!passed) return null;
  return el("a", {class: "verdict good", href: "#check"}, `${plural(passed, "check")} passed`,
    Number.isFinite(worst) && data.wrt.length ? `, the methods agree to ${formatNumber(worst, 1)}` : "");
}

function banner(data) {
  const {error, warnings} = data.result, list = [];
  const smooth = error && ["ERR_GRAZING", "ERR_NO_GRADIENT"].includes(error.status); // the run itself is fine
  if (error) list.push(el("div", {class: "banner bad", role: "alert"},
    el("b", {}, smooth ? "There is no gradient. " : "The run could not go on. "), error.message,
    !smooth && el("div", {}, `What is shown ends at t\u00a0=\u00a0${formatNumber(data.end, 5)}.`)));
  if (warnings.length) list.push(el("div", {class: "banner warn", role: "status"},
    el("b", {}, warnings.length > 1 ? "Warnings" : "Warning"), el("ul", {}, warnings.slice(0, 8).map((text) => el("li", {}, text))),
    warnings.length > 8 && el("p", {}, `and ${warnings.length - 8} more`)));
  return list;
}

function head(data) {
  const fact = (title, content) => el("div", {class: "fact"}, el("h2", {}, title), el("p", {}, ...content));
  return el("header", {class: "head", id: "top"},
    el("p", {class: "kicker"}, "Saltus report"),
    el("h1", {}, data.model.name || data.result.script.file), trust(data), banner(data),
    el("div", {class: "facts-row"}, fact("What moved", moved(data)), fact("What hit", hit(data)),
      fact("What was measured", measured(data)), fact("What the gradient says", says(data))));
}

// ---- navigation ------------------------------------------------------------------------------------

function navigation(sections) {
  const label = () => (isDark() ? "Light" : "Dark");
  const toggle = el("button", {type: "button", class: "plain", id: "theme", onclick: toggleTheme}, label());
  onTheme(() => (toggle.textContent = label()));
  const links = sections.map((s) => el("a", {href: `#${s.id}`}, s.querySelector("h2").textContent));
  const seen = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries)
      links[sections.indexOf(target)].toggleAttribute("data-here", isIntersecting);
  }, {rootMargin: "-20% 0px -70% 0px"});
  sections.forEach((s) => seen.observe(s));
  return el("nav", {"aria-label": "Sections"}, el("div", {class: "nav-inner"}, el("div", {class: "links"}, links), toggle));
}

function build() {
  const data = readData(document.getElementById("data").textContent);
  const clock = makeClock(data.start, data.end);
  const whatif = makeWhatif(data);
  const moves = data.motion && data.motion.rows > 0;
  const sections = [
    moves && section("motion", "Motion", "Play it, or step from event to event.",
      el("div", {class: !whatif.possible ? "" : data.wrt.length + data.costs.length <= 14 ? "stage-columns short" : "stage-columns"}, makeMotion(data, clock, whatif), whatif.panel, whatif.costs)),
    makeGradient(data),
    moves && makePlots(data, clock, whatif),
    makeEvents(data, clock),
    makeChecks(data),
    makeModel(data),
    makeScript(data, moves ? makeDownloads(data) : null),
  ].filter(Boolean);
  document.getElementById("page").replaceChildren(navigation(sections),
    el("main", {}, head(data), sections),
    el("footer", {}, `Made by Saltus ${data.result.saltus}. This file is self-contained.`));
  window.saltus = {data, clock, whatif}; // for tests, and for the curious
}

build();
