// The model: parameters, costs, options, the command, the script.
import {el, numberCell, scroller, section} from "./dom.js";
import {formatNumber} from "./format.js";
import {lineLink, scriptText} from "./script.js";

const used = (unit) => (unit ? el("span", {class: "unit"}, unit) : "");

function parameters(data) {
  const bounds = (p) => (p.lower === undefined && p.upper === undefined ? ""
    : `${p.lower === undefined ? "" : `${formatNumber(p.lower, 4)} \u2264 `}\u00b7${p.upper === undefined ? "" : ` \u2264 ${formatNumber(p.upper, 4)}`}`);
  const {params} = data.model, first = params.length > 30 ? 16 : params.length;
  const row = (p) => el("tr", {}, el("th", {scope: "row"}, p.name), numberCell("td", p.value, formatNumber(p.value, 7)),
        el("td", {}, used(p.unit)), el("td", {class: "muted"}, p.doc || "", p.fixed && el("span", {class: "tag"}, "fixed"), bounds(p)));
  const body = el("tbody", {}, params.slice(0, first).map(row));
  return el("div", {class: "panel"}, el("h3", {}, "Parameters"),
    scroller("Parameters", el("table", {id: "parameters"}, body)),
    params.length > first && el("button", {type: "button", class: "plain", onclick: (event) => {
      body.append(...params.slice(first).map(row));
      event.currentTarget.remove();
    }}, `Show ${params.length - first} more`));
}

function costs(data) {
  const formula = ({integral, final, peak, lowest, samples}) => [
    integral && el("div", {}, "\u222b ", el("code", {}, integral), " dt"), final && el("div", {}, "at the end ", el("code", {}, final)),
    peak && el("div", {}, lowest ? "the smallest " : "the largest ", el("code", {}, peak)),
    samples > 0 && el("div", {}, `${samples} ${samples === 1 ? "sample" : "samples"}`),
    !integral && !final && !peak && !samples && "charged at events"];
  return el("div", {class: "panel"}, el("h3", {}, "Costs"),
    scroller("Costs", el("table", {id: "cost-table"}, el("tbody", {}, data.costs.map((c) =>
      el("tr", {"data-cost": c.name}, el("th", {scope: "row"}, lineLink(data, c.line, c.name)), numberCell("td", c.value, formatNumber(c.value, 10)),
        el("td", {}, used(c.unit)), el("td", {class: "muted formula"}, formula(c), c.doc && el("div", {}, c.doc))))))));
}

function facts(data) {
  const {result, model} = data, {options, stats} = result;
  const settings = Object.entries(result.settings).map(([name, value]) => `${name} = ${value}`).join(", ");
  const rows = [["Horizon", `from ${formatNumber(model.start, 6)} to ${model.end}`],
    ["Formulation", model.constraints.length ? options.formulation : "no constraints"],
    ["Integrator", `${options.integrator}, rtol ${formatNumber(options.rtol, 3)}, atol ${formatNumber(options.atol, 3)}`],
    ["Work", `${stats.steps} steps, ${stats.rejected} rejected, ${stats.evaluations} evaluations`],
    settings && ["Settings", settings], ["Saltus", result.saltus]];
  return el("div", {class: "panel"}, el("h3", {}, "The run"),
    el("dl", {class: "facts"}, rows.filter(Boolean).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    el("h3", {class: "small"}, "Made by"), el("pre", {class: "command", tabindex: 0, role: "region", "aria-label": "The command that made this page"}, el("code", {}, model.command)));
}

export function makeModel(data) {
  return section("model", "The model", null, el("div", {class: "columns"}, parameters(data), costs(data)), facts(data));
}

export function makeScript(data, downloads) {
  return section("data", "Script and data", null,
    el("div", {class: "panel"}, el("details", {id: "script"}, el("summary", {}, data.result.script.file),
      scriptText(data)),
    el("p", {class: "note"}, "SHA-256 ", el("code", {class: "hash"}, data.result.script.sha256))),
    el("div", {class: "panel save-data"}, el("h3", {}, "Download data"), downloads));
}
