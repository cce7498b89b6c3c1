// What if: one slider per parameter moves a linear prediction, drawn as a ghost over the motion. True costs
// are known at some places of each slider; they show how far the prediction can be trusted. In a live page (live.js)
// the model is simulated with the values of the sliders as well; their range is larger there.
import {el, numberCell, scroller} from "./dom.js";
import {formatNumber, formatPercent, signed} from "./format.js";
import {strongestParams} from "./gradient.js";
import {predict} from "./predict.js";
import {placeAt, valueAt} from "./series.js";

const reach = 0.05; // range of a slider, as a part of the value; as in cli/report_data.c
const liveReach = 0.5; // range in a live page
const steps = 1000; // steps of a slider on either side
const near = 25; // steps within which a slider snaps to a place with known true costs
const fair = 0.1; // permitted error of a prediction, as a part of the true change
const small = 1e-3; // permitted error as a part of the cost
const foldAbove = 12, folded = 8; // more parameters than that are folded to the strongest

const plainNumber = (value) => String(Number(value.toPrecision(6)));

function rangeOf(param, part) {
  const size = part * (param.value !== 0 ? Math.abs(param.value) : 1);
  return [Math.max(param.lower ?? -Infinity, param.value - size) - param.value,
    Math.min(param.upper ?? Infinity, param.value + size) - param.value];
}

// trust: parts of `reach`, also if the slider has a larger range.
function trackStyle(trust, param, [low, high]) {
  if (!trust) return null;
  const [near, far] = rangeOf(param, reach);
  return `--from: ${0.5 + 0.5 * trust.low * (low ? near / low : 1)}; --to: ${0.5 + 0.5 * trust.high * (high ? far / high : 1)}`;
}

function trackTitle(trust, param) {
  if (!trust) return undefined;
  const [low, high] = rangeOf(param, reach);
  const why = {"other events": "; beyond it the sequence of events changes", curved: "; beyond it the cost is nonlinear"}[trust.why] ?? "";
  return `the prediction holds from ${formatNumber(param.value - trust.low * low, 5)} to ${formatNumber(param.value + trust.high * high, 5)}${why}`;
}

// The command that simulates with the values of the sliders.
const commandText = (data, change) => [data.model.command,
  ...data.wrt.flatMap(({name, value}, k) => (change[k] ? [`--set ${name}=${Number((value + change[k]).toPrecision(12))}`] : []))].join(" ");

// How far the prediction holds on the slider of parameter k: parts of it to the left and to the right, and
// why not further. True costs are known at places only: the last one up to which predictions hold.
export function trusted(data, k) {
  const places = data.truth?.[k];
  if (!places) return null;
  const holds = ({change, same, costs}) => same && costs.every((cost, i) => {
    const predicted = change * data.methods.discrete.gradient[i][k];
    const off = Math.abs(cost - data.costs[i].value - predicted);
    return cost !== null && off <= Math.max(fair * Math.abs(cost - data.costs[i].value), small * Math.abs(data.costs[i].value));
  });
  const side = (sign) => {
    let far = 0;
    for (const at of places.filter(({place}) => place * sign > 0).sort((a, b) => sign * (a.place - b.place))) {
      if (!holds(at)) return [far, !at.same ? "other events" : "curved"];
      far = at.place;
    }
    return [far, ""];
  };
  const [low, whyLow] = side(-1), [high, whyHigh] = side(1);
  return {low, high, why: whyLow || whyHigh};
}

// The true costs where one slider alone stands at a place at which they are known.
export function truthAt(data, part) {
  const moved = part.map((p, k) => [p, k]).filter(([p]) => p !== 0);
  if (moved.length !== 1) return null;
  const [p, k] = moved[0];
  return data.truth?.[k]?.find(({place}) => Math.abs(place - p) < 1e-9) ?? null;
}

// The original on the rows of the run that a live page shows, for plots.
function originalBeside(original, data) {
  return {active: data.motion !== original.motion, onGrid(kind, index) {
    const {t, values} = original.motion, last = t[t.length - 1];
    return Float64Array.from(data.motion.t, (at) => (at > last ? NaN : valueAt(values[kind][index], placeAt(t, at))));
  }};
}

// `shown`: the data that the page shows; `data`: those of the report. They differ in live pages only.
export function makeWhatif(data, shown = data, live = null) {
  const listeners = [];
  const possible = Boolean(data.motion?.tangent && data.methods.discrete?.gradient && data.wrt.length);
  const change = data.wrt.map(() => 0), part = data.wrt.map(() => 0); // part: of the slider, -1 to 1
  const trust = data.wrt.map((_, k) => (possible ? trusted(data, k) : null));
  const known = possible && Boolean(data.truth || live);
  let prediction = possible ? predict(data, change) : null;
  const rows = [], costs = [], ranges = data.wrt.map((param) => rangeOf(param, live ? liveReach : reach));
  const note = el("p", {class: "note", id: "whatif-note", "aria-live": "polite"});
  const values = () => data.model.params.map((param, i) => {
    const k = data.wrt.findIndex(({index}) => index === i);
    return param.value + (k < 0 ? 0 : change[k]);
  });
  const command = el("code", {id: "whatif-command"});
  const copy = el("button", {type: "button", class: "plain", id: "whatif-copy", hidden: true, onclick: async () => {
    await navigator.clipboard.writeText(command.textContent).then(() => "Copied", () => "Select it").then((text) => (copy.textContent = text));
    setTimeout(() => (copy.textContent = "Copy the command"), 1500);
  }}, "Copy the command");

  // The true costs for the present values, where they are known.
  function truthNow() {
    if (!live) return truthAt(data, part);
    if (!live.state.moved || !prediction.active) return null;
    return {same: true, costs: shown.costs.map(({value}) => value ?? null)};
  }
  const percentOf = (d, base) => (d === 0 ? "" : base !== 0 ? `${d > 0 ? "+" : ""}${formatPercent(100 * d / Math.abs(base))}` : signed(d, 3));
  function noteText(truth, beyond) {
    if (live) return liveNote();
    if (truth?.costs.includes(null)) return "The simulation does not reach its end with this value.";
    if (truth && !truth.same) return "The true motion has other events there: the prediction does not include them.";
    if (beyond.length) return `Beyond the marked part of ${beyond.map((p) => p.name).join(", ")} the prediction is unreliable.`;
    if (!prediction.active) return "";
    return Number.isFinite(prediction.broken)
      ? `From t \u2248 ${formatNumber(Math.max(data.start, prediction.broken), 3)} on the events would come in another order: the prediction is faded there.`
      : "The ghost is the linear prediction q + Q \u03b4\u03c1, with the events moved.";
  }
  function liveNote() {
    const {error, cut, busy, searching, moved, milliseconds} = live.state;
    if (cut) return `This run takes too long for a page: it was cut at t = ${formatNumber(shown.end, 4)}.`;
    if (error) return error.message;
    if (searching) return "Minimising \u2026";
    if (busy) return "Simulating \u2026";
    return moved && prediction.active ? `Simulated in ${Math.max(1, Math.round(milliseconds))} ms.` : "";
  }
  function showCosts() {
    const truth = truthNow();
    const beyond = data.wrt.filter((param, k) => {
      const [low, high] = rangeOf(param, reach);
      return trust[k] && (change[k] < -trust[k].low * low || change[k] > trust[k].high * high);
    });
    costs.forEach(({predicted, difference, exact}, i) => {
      const base = data.costs[i].value, value = prediction.costs[i], real = truth?.costs[i] ?? null;
      const d = (live && prediction.active && real !== null ? real : value) - base;
      predicted.textContent = !prediction.active ? "" : live ? percentOf(value - base, base) || "0" : formatNumber(value, 6);
      predicted.dataset.value = String(value);
      difference.firstChild.textContent = percentOf(d, base);
      [predicted, ...(live ? [] : [difference])].forEach((cell) => cell.classList.toggle("doubtful", beyond.length > 0));
      exact.textContent = !truth ? "" : real === null ? "\u2013" : formatNumber(real, 6);
      exact.dataset.value = real !== null ? String(real) : "";
      exact.classList.toggle("stale", Boolean(live?.state.busy));
    });
    note.textContent = noteText(truth, beyond);
    note.classList.toggle("bad", Boolean(live?.state.error));
  }

  function update() {
    prediction = predict(data, [...change]);
    rows.forEach(({value, percent, slider}, k) => {
      const param = data.wrt[k];
      if (document.activeElement !== value) value.value = plainNumber(param.value + change[k]);
      percent.textContent = change[k] === 0 ? ""
        : param.value !== 0 ? `${change[k] > 0 ? "+" : ""}${formatPercent(100 * change[k] / Math.abs(param.value))}`
          : signed(change[k], 3);
      slider.setAttribute("aria-valuetext", formatNumber(param.value + change[k], 5));
      slider.style.setProperty("--low", 0.5 + 0.5 * Math.min(0, part[k]));
      slider.style.setProperty("--high", 0.5 + 0.5 * Math.max(0, Math.min(1, part[k])));
    });
    showCosts();
    // Breaks between words only: "--set" stays one.
    command.replaceChildren(...(prediction.active ? commandText(data, change).split(" ").flatMap((word, i) => [i ? " " : "", el("span", {}, word)]) : []));
    copy.hidden = !prediction.active;
    if (live && prediction.active) live.ask(values());
    else if (live?.state.moved) live.restore();
    tell();
  }
  const tell = () => listeners.forEach((listener) => listener());
  live?.listen(() => {
    showCosts();
    tell();
  });

  // Moves parameter k by this much, as far as its slider goes.
  function set(k, by) {
    const [low, high] = ranges[k];
    change[k] = Math.min(high, Math.max(low, by));
    part[k] = change[k] === 0 ? 0 : change[k] > 0 ? change[k] / high : -change[k] / low;
    rows[k].slider.value = steps * part[k];
    update();
  }

  function sliderRow(param, k) {
    const [low, high] = ranges[k];
    const ticks = [0, ...((!live && data.truth?.[k]?.map(({place}) => place)) || [])];
    const slider = el("input", {type: "range", min: -steps, max: steps, step: 1, value: 0,
      title: trackTitle(trust[k], param), "data-param": param.name, "aria-label": `Change of ${param.name}`,
      oninput: () => {
        const tick = ticks.find((place) => Math.abs(steps * place - slider.value) <= near);
        part[k] = tick ?? slider.value / steps;
        if (tick !== undefined) slider.value = steps * tick;
        change[k] = part[k] === 0 ? 0 : part[k] > 0 ? part[k] * high : -part[k] * low;
        update();
      }, onkeydown: (event) => {
        const by = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5}[event.key];
        if (!by) return;
        event.preventDefault();
        slider.value = Number(slider.value) + by * steps / 20;
        slider.dispatchEvent(new Event("input"));
      }, ondblclick: () => set(k, 0)});
    const value = el("input", {type: "text", inputmode: "decimal", class: "num value", value: plainNumber(param.value), "aria-label": `Value of ${param.name}`,
      onchange: () => {
        const typed = Number(value.value.replace("\u2212", "-"));
        if (value.value.trim() !== "" && Number.isFinite(typed)) set(k, typed - param.value);
        value.value = plainNumber(param.value + change[k]);
      }});
    const percent = el("span", {class: "num percent"});
    rows.push({slider, value, percent});
    return el("div", {class: "whatif-row", "data-row": param.name, title: param.doc || undefined},
      el("span", {class: "name"}, param.name, param.unit && el("span", {class: "unit"}, ` ${param.unit}`),
        param.doc && el("span", {class: "meaning"}, param.doc)), percent, value,
      el("span", {class: "slot", style: trackStyle(trust[k], param, ranges[k])}, slider));
  }

  // Of many parameters only the strongest, by the largest relative change of any cost; others are found by name.
  function sliders() {
    const list = data.wrt.map(sliderRow), box = el("div", {class: "sliders"}, list);
    if (list.length <= foldAbove) return box;
    const strongest = strongestParams(data, folded);
    let all = false, wanted = "";
    const show = () => list.forEach((row, k) => (row.hidden = wanted ? !data.wrt[k].name.toLowerCase().includes(wanted) : !all && !strongest.has(k)));
    const more = el("button", {type: "button", class: "plain", id: "whatif-all", "aria-pressed": "false", onclick: () => {
      all = !all;
      more.textContent = all ? `The ${folded} strongest` : `All ${list.length}`;
      more.setAttribute("aria-pressed", String(all));
      show();
    }}, `All ${list.length}`);
    const search = el("input", {type: "search", class: "search", id: "whatif-search", placeholder: "Find a parameter", "aria-label": "Find a parameter", oninput: () => {
      wanted = search.value.trim().toLowerCase();
      show();
    }});
    show();
    return el("div", {}, el("div", {class: "whatif-tools"}, search, more), box);
  }

  // Minimises a cost with the library's optimiser; the sliders follow.
  function minimiser(cost) {
    const button = el("button", {type: "button", class: "plain minimise", "data-minimise": cost.name, title: `Minimise ${cost.name} over the parameters that are not fixed`, onclick: async () => {
      if (live.state.searching) return live.stop();
      button.textContent = "\u25a0";
      button.setAttribute("aria-label", `Stop minimising ${cost.name}`);
      const found = await live.optimise(data.costs.findIndex(({name}) => name === cost.name), values(), moveTo);
      button.textContent = "\u2193";
      button.setAttribute("aria-label", `Minimise ${cost.name}`);
      if (found.values) moveTo(found.values);
      update();
      const ended = found.error?.message ?? (found.status === "converged" ? `A minimum of ${cost.name}, after ${found.iterations} steps.` : found.message || "Stopped.");
      note.textContent = ended;
      note.dataset.found = found.status ?? "";
    }, "aria-label": `Minimise ${cost.name}`}, "\u2193");
    return button;
  }

  function costRow(cost) {
    const predicted = live ? numberCell("span", cost.value, "", {class: "linear"}) : numberCell("td", cost.value, "");
    const difference = el("td", {class: "num change"}, el("span", {}), live && predicted);
    const exact = el("td", {class: "num true"});
    costs.push({predicted, difference, exact});
    return el("tr", {"data-cost": cost.name},
      el("th", {scope: "row"}, cost.name, cost.unit && el("span", {class: "unit"}, ` ${cost.unit}`)),
      numberCell("td", cost.value, formatNumber(cost.value, 6), {class: "base"}), possible && !live && predicted, known && exact, possible && difference,
      live && el("td", {}, minimiser(cost)));
  }

  // All parameters, wherever their sliders end.
  function moveTo(all) {
    data.wrt.forEach(({index, value}, k) => {
      const [low, high] = ranges[k];
      change[k] = all[index] - value;
      part[k] = change[k] === 0 ? 0 : change[k] > 0 ? change[k] / high : -change[k] / low;
      rows[k].slider.value = steps * part[k];
      rows[k].value.value = plainNumber(all[index]);
    });
    prediction = predict(data, [...change]);
  }

  function reset() {
    change.fill(0);
    part.fill(0);
    rows.forEach(({slider}) => (slider.value = 0));
    update();
  }

  const measured = () => el("table", {class: live ? "costs known live" : known ? "costs known" : "costs", id: "predicted"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "Cost"), el("th", {scope: "col", class: "num"}, live ? "Original" : "Value"),
      possible && !live && el("th", {scope: "col", class: "num"}, "Predicted"), known && el("th", {scope: "col", class: "num"}, live ? "Now" : "True"),
      possible && el("th", {scope: "col", class: "num change"}, "Change", live && el("span", {class: "linear", title: "as the gradient predicts it"}, "linear")),
      live && el("th", {scope: "col", class: "num", title: "Minimise a cost"}, "Min"))),
    el("tbody", {}, data.costs.map(costRow)));

  return {
    possible,
    change,
    set,
    values,
    moveTo: (all) => {
      moveTo(all);
      update();
    },
    // The ghost on the stage; the dashed curves in plots; the linear prediction.
    prediction: () => (live ? null : prediction),
    beside: () => (live ? originalBeside(data, shown) : prediction),
    linear: () => prediction,
    listen: (listener) => listeners.push(listener),
    panel: possible && el("div", {class: "panel whatif", id: "whatif"},
      el("header", {}, el("h3", {}, "What if"),
        el("button", {type: "button", class: "plain", id: "whatif-reset", onclick: reset}, "Reset")),
      el("p", {class: "note"}, live ? "Move a parameter: the model is simulated again, here in the page. On the marked part of a slider the linear prediction holds as well." : known ? "Move a parameter: the ghost and the costs follow their gradient, which holds on the marked part. At \u00bc, \u00bd and the ends of a slider the true costs are shown as well."
        : "Move a parameter: the ghost and the costs follow their gradient. This is linear: true costs were not computed, as a simulation takes long."),
      sliders(), note, el("div", {class: "command-row"}, command, copy)),
    costs: data.costs.length > 0 && el("div", {class: "panel measured"}, scroller("Costs, as predicted", measured())),
  };
}
