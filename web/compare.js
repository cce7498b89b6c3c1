// Two motions side by side: what `saltus report A B` compares.
import {el, numberCell, scroller, section} from "./dom.js";
import {formatNumber, formatPercent, plural, signed} from "./format.js";
import {makeScene} from "./scene.js";
import {placeAt, valueAt} from "./series.js";

const firstRows = 12;

const nameOf = (data) => data.model.name || data.result.script.file;

// Labels of the two motions: the names of their models or files or, if these are equal, of their roles here.
export function labelsOf(data) {
  const {other} = data;
  const pairs = [[nameOf(data), nameOf(other)], [data.result.script.file, other.result.script.file]];
  return pairs.find(([a, b]) => a !== b) ?? ["this", "the other"];
}

// The motions that the stage draws beside its own.
export function otherMotions(data) {
  if (!data.other?.motion?.rows) return [];
  let on = true;
  return [{name: labelsOf(data)[1], ink: "other", scene: makeScene(data.other), shown: () => on, show: (value) => (on = value)}];
}

// A column of the other motion at the times of this one; NaN after its end.
export function onOurGrid(data, column) {
  const {t, rows} = data.other.motion, last = t[rows - 1];
  return Float64Array.from(data.motion.t, (at) => (at > last ? NaN : valueAt(column, placeAt(t, at))));
}

function table(id, caption, head, rows, cells) {
  if (!rows.length) return null;
  const body = el("tbody", {}, rows.slice(0, firstRows).map(cells));
  const more = rows.length > firstRows && el("button", {type: "button", class: "plain", onclick: (event) => {
    body.append(...rows.slice(firstRows).map(cells));
    event.currentTarget.remove();
  }}, `Show ${rows.length - firstRows} more`);
  return el("div", {class: "panel"}, el("h3", {}, caption), scroller(`${caption}, compared`, el("table", {id, class: "compared"},
    el("thead", {}, el("tr", {}, head.map(([text, number]) => el("th", {scope: "col", class: number ? "num" : null}, text)))), body)), more);
}

export function makeComparison(data) {
  const {comparison} = data;
  if (!comparison) return null;
  const [a, b] = labelsOf(data), number = (value, digits = 6) => numberCell("td", value, formatNumber(value, digits));
  const change = (row) => numberCell("td", row.change, row.change !== null ? signed(row.change, 3) : `only ${row.b === null ? a : b}`);
  const same = (list, what) => (list.length ? null : el("p", {class: "note"}, `${what} are the same.`));
  const {parameters, costs, gradient, events} = comparison;
  const costRow = (c) => el("tr", {"data-cost": c.name}, el("th", {scope: "row"}, c.name), number(c.a), number(c.b),
    c.same ? el("td", {class: "num muted"}, "same") : change(c),
    el("td", {class: "num"}, c.same || c.relative === null ? "" : `${c.relative > 0 ? "+" : ""}${formatPercent(100 * c.relative)}`));
  const timeOf = (e) => Math.min(e.a ?? Infinity, e.b ?? Infinity), inTime = [...events].sort((x, y) => timeOf(x) - timeOf(y));
  const failed = data.other.result.error;
  return section("compare", "Compared", `What differs between ${a} and ${b}, to seven digits. The second one is violet in the picture and dashed in the plots.`,
    failed && el("p", {class: "banner bad"}, el("b", {}, `${b} could not go on. `), failed.message),
    el("div", {class: "columns"},
      table("compared-costs", "Costs", [["Cost"], [a, true], [b, true], ["Change", true], ["Per cent", true]], costs, costRow),
      el("div", {},
        table("compared-parameters", "Parameters that differ", [["Parameter"], [a, true], [b, true], ["Change", true]], parameters,
          (p) => el("tr", {}, el("th", {scope: "row"}, p.name), number(p.a), number(p.b), change(p))) ?? same(parameters, "All parameters"),
        table("compared-events", "Events that differ, by their times", [["Event"], [a, true], [b, true], ["Change", true]], inTime,
          (e) => el("tr", {}, el("th", {scope: "row"}, e.name, " ", el("span", {class: "muted"}, `${e.occurrence}`)), number(e.a), number(e.b), change(e))) ?? same(events, "All events"))),
    table("compared-gradient", `Derivatives that differ: ${gradient.length} of ${plural(gradient.length + comparison.unchanged.gradient, "derivative")}`,
      [["Cost"], ["By"], [a, true], [b, true], ["Change", true]], gradient,
      (d) => el("tr", {}, el("th", {scope: "row"}, d.cost), el("td", {}, d.by), number(d.a, 4), number(d.b, 4), change(d))));
}
