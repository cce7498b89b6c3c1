// The data of the report: completes the object that stands in the page as JSON and decodes its numbers over time.

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// Numbers that the engine of a live page has computed are arrays already.
export function decodeDoubles(text) {
  if (typeof text !== "string") return text;
  const view = new DataView(bytesOf(text).buffer);
  return Float64Array.from({length: view.byteLength / 8}, (_, i) => view.getFloat64(8 * i, true));
}

// Columns of equal length, one array each.
export function decodeColumns(text, rows) {
  if (typeof text !== "string")
    return Array.from({length: rows ? text.length / rows : 0}, (_, c) => text.subarray(c * rows, (c + 1) * rows));
  const view = new DataView(bytesOf(text).buffer);
  const count = rows ? view.byteLength / 4 / rows : 0;
  return Array.from({length: count}, (_, c) =>
    Float32Array.from({length: rows}, (_, i) => view.getFloat32(4 * (c * rows + i), true)));
}

const decodeBlocks = (blocks, rows) => blocks &&
  Object.fromEntries(Object.entries(blocks).map(([name, text]) => [name, decodeColumns(text, rows)]));

function decodeMotion(motion) {
  if (!motion) return null;
  const rows = motion.rows;
  const differences = motion.differences && {
    t: decodeDoubles(motion.differences.t),
    cost: decodeColumns(motion.differences.cost, motion.differences.rows),
  };
  return {
    rows,
    t: decodeDoubles(motion.t),
    modes: motion.modes,
    events: motion.events,
    values: decodeBlocks(motion.values, rows),
    tangent: decodeBlocks(motion.tangent, rows),
    adjoint: decodeBlocks(motion.adjoint, rows),
    duality: motion.duality && decodeColumns(motion.duality, rows),
    differences,
  };
}

// Lists that are used often.
function complete(data) {
  const {model, result} = data;
  data.wrt = model.wrt.map((index) => ({...model.params[index], index}));
  data.costs = model.costs.map((cost) => ({...cost, ...result.costs[cost.name]}));
  data.events = result.events;
  data.start = model.start;
  data.end = data.motion && data.motion.rows ? data.motion.t[data.motion.rows - 1] : data.start;
  return data;
}

// All data; `other` is the motion that the report compares with, if there is one.
export function readData(data) {
  const decoded = (one) => complete({...one, motion: decodeMotion(one.motion)});
  return {...decoded(data), other: data.other ? decoded(data.other) : null};
}

// The data after another run of the same model with these values of its parameters.
export function readRun(data, {result, methods, motion}, values) {
  return complete({methods, motion: decodeMotion(motion), result: {...data.result, ...result},
    model: {...data.model, params: data.model.params.map((param, i) => ({...param, value: values[i]}))}});
}
