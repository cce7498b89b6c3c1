// The check: every claim that the program tested, and the Taylor test as a picture.
import {el, scroller, section, svg} from "./dom.js";
import {formatNumber, plural} from "./format.js";

const marks = {pass: "\u2713", fail: "\u2717", information: "i", "not applicable": "\u2013"};

function group(checks) {
  const groups = new Map();
  for (const check of checks) groups.set(check.check, [...(groups.get(check.check) || []), check]);
  return [...groups];
}

function checkRow([name, list]) {
  const worst = list.find((c) => c.result === "fail") ||
    [...list].sort((a, b) => (b.value ?? -1) / (b.allowed ?? 1) - (a.value ?? -1) / (a.allowed ?? 1))[0];
  const failed = list.filter((c) => c.result === "fail").length;
  const result = failed ? "fail" : list.some((c) => c.result === "pass") ? "pass" : worst.result;
  const note = failed ? `${failed} of ${list.length} fail` : worst.note;
  return el("tr", {"data-result": result}, el("td", {class: `mark ${result.replace(" ", "-")}`, "aria-label": result}, marks[result]),
    el("th", {scope: "row"}, name), el("td", {}, list.length > 1 ? `worst of ${list.length}` : worst.cost || ""),
    el("td", {class: "num"}, formatNumber(worst.value, 2)), el("td", {class: "num"}, worst.allowed === null ? "" : formatNumber(worst.allowed, 2)),
    el("td", {class: "muted"}, note));
}

// log |R| over log ε, with a line of slope 2.
function taylorPicture(data) {
  const {epsilon, remainder} = data.taylor, width = innerWidth < 600 ? 330 : 460, height = 300, left = 54, bottom = 40, top = 12, right = 14;
  const points = remainder.map((row) => row.map((r, i) => [Math.log10(epsilon[i]), Math.log10(Math.abs(r))])
    .filter(([, y]) => Number.isFinite(y)));
  const all = points.flat();
  if (all.length < 2) return null;
  const xs = all.map((p) => p[0]), ys = all.map((p) => p[1]);
  const box = {x0: Math.min(...xs) - 0.2, x1: Math.max(...xs) + 0.2, y0: Math.min(...ys) - 0.5, y1: Math.max(...ys) + 0.5};
  const x = (v) => left + (v - box.x0) / (box.x1 - box.x0) * (width - left - right);
  const y = (v) => height - bottom - (v - box.y0) / (box.y1 - box.y0) * (height - bottom - top);
  const ticks = (low, high, step) => {
    const list = [];
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) list.push(v);
    return list;
  };
  // The line of slope 2 is beside the highest curve.
  const start = [box.x1 - 0.2, box.y1 - 1.3], drop = Math.min(2 * (start[0] - box.x0), start[1] - box.y0);
  const reference = [start, [start[0] - drop / 2, start[1] - drop]];
  return svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "taylor", role: "img", id: "taylor",
    "aria-label": "Remainder of the Taylor test over the distance, both logarithmic; slope 2 is expected"},
  ticks(box.x0, box.x1, width < 400 ? 2 : 1).map((v) => svg("g", {}, svg("line", {x1: x(v), x2: x(v), y1: top, y2: height - bottom, class: "grid-line"}),
    svg("text", {x: x(v), y: height - bottom + 16, class: "tick middle"}, `1e${v}`))),
  ticks(box.y0, box.y1, Math.max(1, Math.round((box.y1 - box.y0) / 6))).map((v) => svg("g", {},
    svg("line", {x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid-line"}),
    svg("text", {x: left - 8, y: y(v) + 4, class: "tick end"}, `1e${v}`))),
  svg("line", {x1: x(reference[0][0]), y1: y(reference[0][1]), x2: x(reference[1][0]), y2: y(reference[1][1]), class: "reference"}),
  points.map((list, i) => svg("g", {style: `--chip: var(--series-${i % 8 + 1})`},
    svg("polyline", {points: list.map(([a, b]) => `${x(a)},${y(b)}`).join(" "), class: "curve"}),
    list.map(([a, b]) => svg("circle", {cx: x(a), cy: y(b), r: 2.6, class: "spot"})))),
  svg("text", {x: (left + width - right) / 2, y: height - 4, class: "tick middle"}, "distance \u03b5 along a random direction"));
}

function taylorPanel(data) {
  const picture = data.taylor && taylorPicture(data);
  if (!picture) return null;
  return el("div", {class: "panel"}, el("h3", {}, "Taylor test"),
    el("p", {class: "note"}, "What the gradient leaves unexplained, \u03c8(\u03c1+\u03b5d) \u2212 \u03c8(\u03c1) \u2212 \u03b5\u03c8\u2032d, must fall with the square of \u03b5, down to rounding. Dashed: slope 2."),
    picture,
    el("div", {class: "legend"}, data.costs.map((c, i) => el("span", {class: "chip plain-chip", style: `--chip: var(--series-${i % 8 + 1})`},
      el("i"), el("span", {class: "name"}, c.name), data.taylor.slope[i] !== null && el("output", {}, `slope ${formatNumber(data.taylor.slope[i], 3)}`)))));
}

// How many digits of each gradient to trust, and by which method.
function trustList(data) {
  const say = (t) => t.zero ? "zero within its error" : t.digits === null ? "nothing" :
    plural(t.digits, "digit") + (t.method_digits > t.digits + 1 ? ` (${plural(t.method_digits, "digit")} by the ${t.method})` : "");
  if (!data.trust?.length) return null;
  return el("p", {class: "note", id: "trust"}, "Trust of each gradient: ", data.trust.map((t, i) =>
    [i ? "; " : "", el("b", {}, t.cost), ` ${say(t)}`]), ".");
}

export function makeChecks(data) {
  if (!data.checks) return null; // the playground makes none
  const lead = "A gradient is trusted if independent methods agree.";
  const failed = data.checks.filter((c) => c.result === "fail").length;
  const passed = data.checks.filter((c) => c.result === "pass").length;
  if (!data.checks.length) return section("check", "Checks", lead, el("p", {class: "panel note"}, "There was nothing to check."));
  return section("check", "Checks", lead, el("div", {class: "columns check-columns"},
    el("div", {class: "panel"}, el("h3", {}, failed ? `${failed} of ${failed + passed} checks failed` : `${plural(passed, "check")} passed`),
      trustList(data),
      scroller("Table of checks", el("table", {id: "checks"},
        el("thead", {}, el("tr", {}, ["Result", "Check", "Of", "Value", "Allowed", "Note"].map((text, i) =>
          el("th", {scope: "col", class: i === 3 || i === 4 ? "num" : null}, text)))),
        el("tbody", {}, group(data.checks).map(checkRow))))),
    taylorPanel(data)));
}
