// What if: one slider per parameter moves a linear prediction, drawn as a ghost over the motion.
import {el, numberCell, scroller} from "./dom.js";
import {formatNumber, formatPercent, signed} from "./format.js";
import {predict} from "./predict.js";

const reach = 0.2; // of the parameter's value

function rangeOf(param) {
  const size = reach * (param.value !== 0 ? Math.abs(param.value) : 1);
  return [Math.max(param.lower ?? -Infinity, param.value - size) - param.value,
    Math.min(param.upper ?? Infinity, param.value + size) - param.value];
}

export function makeWhatif(data) {
  const listeners = [];
  const possible = Boolean(data.motion?.tangent && data.methods.discrete?.gradient && data.wrt.length);
  const change = data.wrt.map(() => 0);
  let prediction = possible ? predict(data, change) : null;
  const rows = [], costs = [];
  const note = el("p", {class: "note", id: "whatif-note", "aria-live": "polite"});

  function update() {
    prediction = predict(data, [...change]);
    rows.forEach(({value, percent, slider}, k) => {
      const param = data.wrt[k];
      value.textContent = formatNumber(param.value + change[k], 5);
      percent.textContent = change[k] === 0 ? ""
        : param.value !== 0 ? `${change[k] > 0 ? "+" : ""}${formatPercent(100 * change[k] / Math.abs(param.value))}`
          : signed(change[k], 3);
      slider.setAttribute("aria-valuetext", formatNumber(param.value + change[k], 5));
    });
    costs.forEach(({predicted, difference}, i) => {
      const value = prediction.costs[i], d = value - data.costs[i].value;
      predicted.textContent = prediction.active ? formatNumber(value, 6) : "";
      predicted.dataset.value = String(value);
      difference.textContent = d === 0 ? "" : data.costs[i].value !== 0
        ? `${d > 0 ? "+" : ""}${formatPercent(100 * d / Math.abs(data.costs[i].value))}` : signed(d, 3);
      difference.className = `num change ${d > 0 ? "up" : d < 0 ? "down" : ""}`;
    });
    note.textContent = prediction.active && Number.isFinite(prediction.broken)
      ? `From t \u2248 ${formatNumber(Math.max(data.start, prediction.broken), 3)} on the events would come in another order: the prediction is faded there.`
      : prediction.active ? "The ghost is the linear prediction q + Q \u03b4\u03c1, with the events moved." : "";
    listeners.forEach((listener) => listener());
  }

  function sliderRow(param, k) {
    const [low, high] = rangeOf(param);
    const slider = el("input", {type: "range", min: -1000, max: 1000, step: 1, value: 0,
      "data-param": param.name, "aria-label": `Change of ${param.name}`,
      oninput: () => {
        const part = slider.value / 1000;
        change[k] = part === 0 ? 0 : part > 0 ? part * high : -part * low;
        update();
      }});
    const value = el("span", {class: "num"}, formatNumber(param.value, 5));
    const percent = el("span", {class: "num percent"});
    rows.push({slider, value, percent});
    return el("div", {class: "whatif-row", title: param.doc || undefined},
      el("span", {class: "name"}, param.name,
        param.unit && el("span", {class: "unit"}, ` ${param.unit}`)), slider, value, percent);
  }

  function costRow(cost) {
    const predicted = numberCell("td", cost.value, "");
    const difference = el("td", {class: "num change"});
    costs.push({predicted, difference});
    return el("tr", {"data-cost": cost.name},
      el("th", {scope: "row"}, cost.name, cost.unit && el("span", {class: "unit"}, ` ${cost.unit}`)),
      numberCell("td", cost.value, formatNumber(cost.value, 6), {class: "base"}), possible && predicted, possible && difference);
  }

  function reset() {
    change.fill(0);
    rows.forEach(({slider}) => (slider.value = 0));
    update();
  }

  const measured = () => el("table", {class: "costs", id: "predicted"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "Cost"), el("th", {scope: "col", class: "num"}, "Value"),
      possible && el("th", {scope: "col", class: "num"}, "Predicted"), possible && el("th", {scope: "col", class: "num"}, "Change"))),
    el("tbody", {}, data.costs.map(costRow)));

  return {
    possible,
    prediction: () => prediction,
    listen: (listener) => listeners.push(listener),
    panel: possible && el("div", {class: "panel whatif", id: "whatif"},
      el("header", {}, el("h3", {}, "What if"),
        el("button", {type: "button", class: "plain", id: "whatif-reset", onclick: reset}, "Reset")),
      el("p", {class: "note"}, "Move a parameter: the ghost and the costs follow their gradient."),
      el("div", {class: "sliders"}, data.wrt.map(sliderRow)), note),
    costs: data.costs.length > 0 && el("div", {class: "panel measured"}, scroller("Costs", measured())),
  };
}
