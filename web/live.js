// A live page simulates its model again when parameters are moved. `data`, which the whole page shows, becomes that of
// the new run; `original` keeps the data of the report. One run at a time, in a worker; of several requests only the
// newest counts. The motion comes first, and the gradient after a time without requests.
import {readRun} from "./data.js";
import {hasEngine, startEngine} from "./live_engine.js";

const patience = 1500; // milliseconds of an obsolete run: then the engine is started anew
const quiet = 160; // milliseconds without requests before derivatives are computed
const longestSearch = 120000;

const depths = {motion: 0, gradient: 1};

// null if the page has no engine. Otherwise {ask(values), optimise(cost, values, onStep), stop(), listen, state, ...};
// listeners get state: {moved, busy, complete, searching, error, cut, milliseconds, values}. complete: with the gradient;
// values: the parameters of the last run.
export function makeLive(data, original) {
  if (!original.live || original.other || !hasEngine()) return null;
  const listeners = [], state = {moved: false, busy: false, complete: true, searching: false, error: null, cut: false, milliseconds: 0, values: null};
  let longest = 20000; // limit on the milliseconds of a run
  let engine = null, wanted = null, working = false, began = 0, restored = 0, wake = () => {};

  const tell = (changes) => {
    Object.assign(state, changes);
    listeners.forEach((listener) => listener(state));
  };
  async function opened() {
    if (engine) return engine;
    const fresh = await startEngine();
    const answer = await fresh.ask("open", {files: {...original.live.files, [original.live.file]: original.model.script}, words: original.live.arguments});
    if (answer.error) throw Object.assign(new Error(answer.error.message), {final: true});
    return (engine = fresh);
  }
  function drop() {
    engine?.end();
    engine = null;
  }
  function show(values, answer, complete) {
    const error = answer.error ?? answer.result.error ?? null, cut = error?.status === "ERR_INTERRUPTED";
    if (answer.motion) Object.assign(data, readRun(original, answer, values));
    tell({moved: true, busy: false, error, cut, complete, values, milliseconds: performance.now() - began});
  }
  async function run(values, depth) {
    const before = restored;
    began = performance.now();
    const answer = await (await opened()).ask("run", {values, depth, milliseconds: longest});
    if (before === restored) show(values, answer, depth === depths.gradient || Boolean(answer.error ?? answer.result.error));
  }
  // Ends the present run, which is obsolete, if it does not end soon.
  function hurry() {
    const start = began;
    wake();
    if (working) setTimeout(() => working && began === start && drop(), Math.max(0, patience - (performance.now() - began)));
  }
  const silence = () => new Promise((resolve) => {
    wake = resolve;
    setTimeout(resolve, quiet);
  });
  async function work() {
    if (working) return;
    working = true;
    while (wanted) {
      const values = wanted;
      wanted = null;
      try {
        tell({busy: true});
        await run(values, depths.motion);
        if (!state.complete) await silence();
        if (!wanted && !state.complete) await run(values, depths.gradient);
      } catch (error) {
        engine = null;
        // A run that was ended for a newer one is no failure.
        if (error.message !== "ended") tell({busy: false, complete: true, values, error: {message: error.message}});
        if (error.final) wanted = null;
      }
    }
    working = false;
  }

  return {
    state,
    listen: (listener) => listeners.push(listener),
    limit: (milliseconds) => (longest = milliseconds),
    // Prepares the engine, so that the first move is not slower than the others.
    prepare: () => opened().catch((error) => tell({error: {message: error.message}})),
    ask(values) {
      wanted = values;
      hurry();
      work();
    },
    // Back to the original, which needs no run.
    restore() {
      wanted = null;
      restored++;
      Object.assign(data, original);
      hurry();
      tell({moved: false, busy: false, complete: true, error: null, cut: false, values: null});
    },
    // Goes down to a minimum of a cost; onStep(values) at each step. Resolves to the result.
    async optimise(cost, values, onStep) {
      tell({searching: true, busy: true});
      try {
        const found = await (await opened()).ask("optimise", {cost, values, milliseconds: longestSearch, patience: longest},
          ({values: at, run: answer}) => {
            onStep(at);
            began = performance.now();
            if (state.searching) show(at, answer, false);
          });
        return found;
      } catch (error) {
        engine = null;
        return {status: "interrupted", message: error.message === "ended" ? "" : error.message, values: null};
      } finally {
        tell({searching: false, busy: false});
      }
    },
    stop: drop,
  };
}
