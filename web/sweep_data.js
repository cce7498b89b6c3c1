// The results of a sweep in the page: columns of numbers, sequences of events, neighbours.

const source = JSON.parse(document.getElementById("data").textContent);
export const result = source.result;
export const every = source.every;

function decode(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float64Array.from({length: bytes.length / 8}, (_, i) => view.getFloat64(8 * i, true));
}

export const columns = source.columns.map((c) => ({
  name: c.name, kind: c.kind, unit: c.unit || "", texts: c.texts || [],
  values: decode(c.values ?? c.codes ?? ""),
}));
const named = new Map(columns.map((c) => [c.name, c]));
export const column = (name) => named.get(name);
export const ofKind = (...kinds) => columns.filter((c) => kinds.includes(c.kind));
export const parameters = ofKind("parameter");
export const count = column("point").values.length;

// The text of a column at a row; "" where there is none.
export const textAt = (name, row) => {
  const c = column(name);
  return c.texts.length && c.values[row] >= 0 ? c.texts[c.values[row]] : "";
};
export const hasFailed = Array.from({length: count}, (_, row) => textAt("error", row) !== "");

// ---- sequences of events, the most frequent first; the last group is "failed"

export const OTHERS = 7; // sequences with a colour of their own
export const sequences = (() => {
  const rows = new Map();
  for (let row = 0; row < count; row++) {
    if (hasFailed[row]) continue;
    const text = textAt("sequence", row);
    if (!rows.has(text)) rows.set(text, []);
    rows.get(text).push(row);
  }
  return [...rows].map(([text, list]) => ({text, rows: list}))
    .sort((a, b) => b.rows.length - a.rows.length || a.rows[0] - b.rows[0]);
})();
export const sequenceName = (text) => text || "no event";

// For each row the number of its group: below OTHERS a sequence, OTHERS: another one, -1: failed.
export const groupOf = (() => {
  const group = new Int16Array(count).fill(-1);
  sequences.forEach((s, i) => s.rows.forEach((row) => { group[row] = Math.min(i, OTHERS); }));
  return group;
})();
export const rankOf = (() => {
  const rank = new Int32Array(count).fill(-1);
  sequences.forEach((s, i) => s.rows.forEach((row) => { rank[row] = i; }));
  return rank;
})();

// ---- grids

// The values of a parameter, ascending.
export const valuesOf = (parameter) => [...new Set(parameter.values)].sort((a, b) => a - b);

// Whether each combination of values is a point: then neighbours are known.
export const grid = (() => {
  const values = parameters.map(valuesOf);
  const size = values.reduce((product, list) => product * list.length, 1);
  if (size !== count || every > 1) return null;
  const place = values.map((list) => new Map(list.map((value, i) => [value, i])));
  const rows = new Int32Array(size).fill(-1);
  const stride = [];
  for (let k = parameters.length - 1, step = 1; k >= 0; k--) {
    stride[k] = step;
    step *= values[k].length;
  }
  const at = (row) => parameters.reduce((sum, p, k) => sum + stride[k] * place[k].get(p.values[row]), 0);
  for (let row = 0; row < count; row++) rows[at(row)] = row;
  return rows.includes(-1) ? null : {values, rows, stride, at};
})();

// Where the sequence changes between neighbours of the grid: by pair of sequences and parameter.
export function boundaries() {
  const found = new Map();
  if (!grid) return [];
  for (let index = 0; index < count; index++)
    parameters.forEach((p, k) => {
      const place = Math.floor(index / grid.stride[k]) % grid.values[k].length;
      if (place + 1 >= grid.values[k].length) return;
      const a = grid.rows[index], b = grid.rows[index + grid.stride[k]];
      if (rankOf[a] === rankOf[b]) return;
      const key = `${k} ${rankOf[a]} ${rankOf[b]}`;
      if (!found.has(key)) found.set(key, {parameter: p, below: a, above: b, places: 0});
      found.get(key).places++;
    });
  return [...found.values()].sort((a, b) => b.places - a.places);
}
