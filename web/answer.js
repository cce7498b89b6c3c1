// The result of `saltus optimise` or `saltus fit`, if the motion is compared with it: the course of the search, and the
// measured values over the simulated ones.
import {el, numberCell, scroller, section, svg} from "./dom.js";
import {formatNumber, niceStep, plural} from "./format.js";

const size = {width: 620, height: 260, left: 66, right: 14, top: 12, bottom: 40};

function ticksOf(low, high, count) {
  const step = niceStep(high - low, count), list = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) list.push(k * step);
  return list;
}

// A frame with axes. draw(x, y) gets functions from values to pixels and returns the contents. logarithmic: y is log10.
function chart({label, xLabel, xs, ys, logarithmic, draw}) {
  const spread = (list) => {
    const finite = list.filter(Number.isFinite), low = Math.min(...finite), high = Math.max(...finite);
    const more = high > low ? 0.05 * (high - low) : Math.abs(high) || 1;
    return [low - more, high + more];
  };
  const [x0, x1] = spread(xs), [y0, y1] = spread(ys), {width, height, left, right, top, bottom} = size;
  const x = (v) => left + (v - x0) / (x1 - x0) * (width - left - right);
  const y = (v) => height - bottom - (v - y0) / (y1 - y0) * (height - bottom - top);
  const name = (v) => (logarithmic ? `1e${formatNumber(v, 3)}` : formatNumber(v, 4));
  return svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "taylor answer", role: "img", "aria-label": label},
    ticksOf(x0, x1, 6).map((v) => svg("g", {}, svg("line", {x1: x(v), x2: x(v), y1: top, y2: height - bottom, class: "grid-line"}),
      svg("text", {x: x(v), y: height - bottom + 16, class: "tick middle"}, formatNumber(v, 4)))),
    ticksOf(y0, y1, 5).map((v) => svg("g", {}, svg("line", {x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid-line"}),
      svg("text", {x: left - 8, y: y(v) + 4, class: "tick end"}, name(v)))),
    svg("text", {x: (left + width - right) / 2, y: height - 4, class: "tick middle"}, xLabel),
    draw(x, y));
}

const line = (points, extra = {}) => svg("polyline", {points: points.map(([a, b]) => `${a},${b}`).join(" "), class: "curve", ...extra});

// One curve for each search, as far as values are finite.
function historyChart(label, history, read, logarithmic) {
  const searches = [...new Set(history.map((h) => h.search))];
  const points = searches.map((k) => history.filter((h) => h.search === k).map((h, i) => [i, read(h)]).filter(([, v]) => Number.isFinite(v)));
  const all = points.flat();
  if (all.length < 2) return null;
  return el("div", {}, el("h3", {class: "small"}, label), chart({label, xLabel: "step", logarithmic, xs: all.map((p) => p[0]), ys: all.map((p) => p[1]),
    draw: (x, y) => points.map((list, i) => svg("g", {style: `--chip: var(--series-${i % 8 + 1})`}, line(list.map(([a, b]) => [x(a), y(b)]))))}));
}

function makeSearch({status, message, minimise, kkt, limits, counts, borders, history}) {
  const log = (v) => (v > 0 ? Math.log10(v) : NaN);
  const row = (cells) => el("tr", {}, cells.map((c, i) => (typeof c === "number" ? numberCell("td", c, formatNumber(c, 6)) : el(i ? "td" : "th", i ? {} : {scope: "row"}, c))));
  const table = (caption, head, rows) => (rows.length ? el("div", {}, el("h3", {class: "small"}, caption), scroller(caption, el("table", {class: "compared"},
    el("thead", {}, el("tr", {}, head.map((text) => el("th", {scope: "col"}, text)))), el("tbody", {}, rows)))) : null);
  const near = (borders ?? []).slice(0, 5);
  return section("answer", "The search", `saltus optimise made ${minimise} smallest: ${status}, conditions to ${formatNumber(kkt, 2)}, after ${plural(counts.runs, "run")} and ${plural(counts.gradients, "gradient")}. The second motion is the optimum.`,
    message ? el("p", {class: "note"}, message) : null,
    el("div", {class: "columns"},
      el("div", {class: "panel"}, historyChart(minimise, history, (h) => h.cost ?? NaN, false),
        historyChart("Conditions of an optimum", history, (h) => log(h.kkt ?? NaN), true),
        historyChart("Violation of limits", history, (h) => log(h.violation ?? NaN), true)),
      el("div", {class: "panel"}, table("Limits", ["cost", "from", "to", "d(minimum)/d(limit)"], (limits ?? []).map((l) => row([l.cost, l.min ?? "", l.max ?? "", l.multiplier ?? ""]))),
        table("Nearest changes of the sequence of events", ["what", "of", "distance", "gain by crossing"],
          near.map((b) => row([b.kind, b.events.join(", "), b.distance, b.multiplier ?? ""]))))));
}

// The measured expression along the motion; null for times of events.
function measuredCurve(data, m) {
  const place = data.model.outputs.findIndex((o) => o.name === `measured ${m.name}`);
  if (place < 0 || !data.motion?.rows) return null;
  return Array.from(data.motion.t, (t, k) => [t, data.motion.values.output[place][k]]).filter(([, v]) => Number.isFinite(v));
}

// Measured values with their standard deviations over the motions before and after the fit, and the confidence band of
// the second one.
function measurementChart(data, m) {
  const at = m.at ?? m.value.map((_, i) => i + 1), band = m.band ?? m.value.map(() => 0), sigma = m.sigma ?? m.value.map(() => 0);
  const before = measuredCurve(data, m) ?? [], after = measuredCurve(data.other, m) ?? at.map((t, i) => [t, m.predicted[i]]);
  const ys = [...m.value.flatMap((v, i) => [v - sigma[i], v + sigma[i], m.predicted[i] - band[i], m.predicted[i] + band[i]]),
    ...before.map((p) => p[1]), ...after.map((p) => p[1])];
  const label = m.event ? `${m.name}: times of ${m.event}` : m.name;
  return el("div", {class: "panel"}, el("h3", {}, label), chart({label, xLabel: m.event ? "occurrence" : "time",
    xs: [...at, ...before.map((p) => p[0]), ...after.map((p) => p[0])], ys, draw: (x, y) => [
      svg("g", {style: "--chip: var(--muted)"}, line(before.map(([t, v]) => [x(t), y(v)]), {"stroke-dasharray": "4 3"})),
      svg("g", {style: "--chip: var(--other)"}, line(after.map(([t, v]) => [x(t), y(v)])),
        at.map((t, i) => svg("line", {x1: x(t), x2: x(t), y1: y(m.predicted[i] - band[i]), y2: y(m.predicted[i] + band[i]), class: "band"}))),
      svg("g", {style: "--chip: var(--series-2)"}, m.value.map((v, i) => [
        svg("line", {x1: x(at[i]), x2: x(at[i]), y1: y(v - sigma[i]), y2: y(v + sigma[i]), class: "curve"}),
        svg("circle", {cx: x(at[i]), cy: y(v), r: 3, class: "spot"})]))]}));
}

function makeFit(data, {status, message, parameters, rss, dof, level, unidentified, measurements}) {
  const fitted = Object.entries(parameters).filter(([, p]) => p.sd !== undefined);
  const cell = (v) => (Number.isFinite(v) ? numberCell("td", v, formatNumber(v, 6)) : el("td", {class: "num muted"}, "not known"));
  return section("answer", "The fit", `saltus fit: ${status}, sum of squares ${formatNumber(rss, 6)} with ${plural(dof, "degree")} of freedom. Points are what was measured, with its standard deviation; the violet curve is the motion that was fitted, with bars where it is known to be with ${formatNumber(100 * level, 3)} %; dashed is the motion before.`,
    message ? el("p", {class: "note"}, message) : null,
    unidentified?.length ? el("p", {class: "note"}, `The data do not determine: ${unidentified.join("; ")}.`) : null,
    el("div", {class: "columns"}, measurements.map((m) => measurementChart(data, m))),
    el("div", {class: "panel"}, scroller("Estimates", el("table", {id: "estimates", class: "compared"},
      el("thead", {}, el("tr", {}, ["Parameter", "Estimate", "Standard deviation", "From", "To"].map((t, i) => el("th", {scope: "col", class: i ? "num" : null}, t)))),
      el("tbody", {}, fitted.map(([name, p]) => el("tr", {}, el("th", {scope: "row"}, name), cell(p.value), cell(p.sd), cell(p.interval?.[0]), cell(p.interval?.[1]))))))));
}

export function makeAnswer(data) {
  const answer = data.other?.answer;
  if (!answer) return null;
  return answer.history ? makeSearch(answer) : makeFit(data, answer);
}
