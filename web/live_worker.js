// The worker of a live page: holds the engine (live/live.c) with one model open in it, and runs it as the page asks.
// Questions are {id, ask, ...}; answers are {id, answer}, or {id, failure} after which the worker is of no more use.
// During a search, {id, step} reports each step.
/* global makeEngine */

let engine, values; // values: the address at which the engine reads parameters
let present = []; // names of the files that the engine has

const text = (name, kinds, given) => engine.ccall(name, "string", kinds, given);

// Numbers over time are in the engine's memory: they are copied, to be handed over to the page.
function takeNumbers(value, list) {
  if (value === null || typeof value !== "object") return value;
  if (value.kind === "doubles" || value.kind === "floats") {
    const heap = value.kind === "doubles" ? engine.HEAPF64 : engine.HEAPF32;
    const numbers = heap.slice(value.at / heap.BYTES_PER_ELEMENT, value.at / heap.BYTES_PER_ELEMENT + value.count);
    list.push(numbers.buffer);
    return numbers;
  }
  for (const key of Object.keys(value)) value[key] = takeNumbers(value[key], list);
  return value;
}

function read(json) {
  const list = [], answer = JSON.parse(json);
  if (answer.motion) answer.motion = takeNumbers(answer.motion, list);
  return {answer, list};
}

const setValues = (given) => engine.HEAPF64.set(given, values / 8);

function run({values: given, depth, milliseconds}) {
  setValues(given);
  return read(text("live_run", ["number", "number", "number"], [values, depth, milliseconds]));
}

const questions = {
  async start({wasm}) {
    engine = await makeEngine({wasmBinary: wasm, print: () => {}, printErr: () => {}});
    return {answer: true};
  },
  open({files, words}) {
    const write = (name, content) => engine.ccall("live_file", "number", ["string", "string"], [name, content]);
    for (const name of present) write(name, null);
    present = Object.keys(files);
    for (const name of present) write(name, files[name]);
    const {answer} = read(text("live_open", ["string"], [JSON.stringify(words)]));
    if (values) engine._free(values);
    values = answer.model ? engine._malloc(8 * Math.max(1, answer.model.params.length)) : 0;
    return {answer};
  },
  run,
  // The motion at each step of the search is simulated for the page.
  optimise({id, cost, values: given, milliseconds, patience}) {
    engine.onSearch = (iteration, value, at) => {
      const {answer, list} = run({values: at, depth: 0, milliseconds: patience});
      postMessage({id, step: {iteration, value, values: at, run: answer}}, list);
      return false;
    };
    setValues(given);
    return read(text("live_optimise", ["number", "number", "number"], [cost, values, milliseconds]));
  },
};

onmessage = async ({data}) => {
  try {
    const {answer, list} = await questions[data.ask](data);
    postMessage({id: data.id, answer}, list ?? []);
  } catch (error) {
    postMessage({id: data.id, failure: String(error?.message ?? error)});
  }
};
