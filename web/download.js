// The data as files: CSV for tables, JSON for programs.
import {el} from "./dom.js";
import {motionName} from "./names.js";
import {modeAt} from "./series.js";

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

// Eight digits: numbers over time are floats, which have no more.
const short = (value) => (Number.isNaN(value) ? "nan" : String(Number(value.toPrecision(8))));

// Names as `saltus run -o` and `saltus gradient -o` write them.
function columnsOf(data) {
  const {motion, model} = data, {values, tangent} = motion, np = data.wrt.length;
  const list = (names, columns) => names.map((name, i) => [name, columns[i]]);
  const by = (names, columns) => names.flatMap((name, i) => data.wrt.map((p, k) => [`d(${name})/d(${p.name})`, columns[i * np + k]]));
  const q = model.coordinates.map((x) => motionName(x, 0)), c = model.memories.map((m) => m.name), z = data.costs.map((cost) => cost.name);
  const rates = model.coordinates.map((x) => motionName(x, 1)), second = model.coordinates.map((x) => motionName(x, 2));
  return [...list(q, values.position).filter((_, i) => !model.coordinates[i].state), ...list(rates, values.velocity), ...list(second, values.acceleration),
    ...list(model.constraints.map((m) => `multiplier(${m.name})`), values.multiplier), ...list(c, values.memory),
    ...list(z, values.cost), ...list(model.outputs.map((o) => o.name), values.output),
    ...(tangent ? [...by(q, tangent.position), ...by(rates, tangent.velocity), ...by(c, tangent.memory), ...by(z, tangent.cost)] : [])];
}

export function motionCsv(data) {
  const {motion} = data, columns = columnsOf(data);
  const lines = [["t", "mode", ...columns.map(([name]) => name)].map(quoted).join(",")];
  for (let i = 0; i < motion.rows; i++)
    lines.push([motion.t[i], quoted(modeAt(motion.modes, i) || ""), ...columns.map(([, column]) => short(column[i]))].join(","));
  return `${lines.join("\n")}\n`;
}

export function gradientCsv(data) {
  const lines = [["cost", "value", ...data.wrt.map((p) => p.name)].map(quoted).join(",")];
  for (const cost of data.costs)
    lines.push([quoted(cost.name), cost.value, ...data.wrt.map((p) => cost.gradient?.[p.name] ?? "nan")].join(","));
  return `${lines.join("\n")}\n`;
}

export function everythingJson(data) {
  const {motion} = data, columns = columnsOf(data);
  const number = (v) => (Number.isFinite(v) ? Number(v.toPrecision(8)) : null);
  return JSON.stringify({...data.result, methods: data.methods, taylor: data.taylor,
    columns: ["t", "mode", ...columns.map(([name]) => name)],
    rows: Array.from({length: motion.rows}, (_, i) => [motion.t[i], modeAt(motion.modes, i), ...columns.map(([, column]) => number(column[i]))])});
}

export function makeDownloads(data) {
  const stem = (data.result.script.file.split("/").pop() || "report").replace(/\.lua$/, "") || "report";
  function save(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], {type}));
    const link = el("a", {href: url, download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
  const button = (id, label, action) => el("button", {type: "button", class: "download", id, onclick: action}, label);
  return el("div", {class: "downloads"},
    button("csv-motion", "Motion, CSV", () => save(`${stem}.csv`, "text/csv", motionCsv(data))),
    button("csv-gradient", "Gradient, CSV", () => save(`${stem}-gradient.csv`, "text/csv", gradientCsv(data))),
    button("json-all", "Everything, JSON", () => save(`${stem}.json`, "application/json", everythingJson(data))),
    el("p", {class: "note"}, "Tables have all digits; numbers over time have eight. ", el("code", {}, "saltus run -o"), " writes all of them."));
}
