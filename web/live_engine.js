// The engine that some pages contain (live/): starting it in a worker, and asking it.
import {hostDocument} from "./host.js";

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

// Bytes that stand in the page as base64 of a gzip file.
const inflate = (id) => new Response(new Blob([bytesOf(hostDocument().getElementById(id).textContent)]).stream()
  .pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();

export const hasEngine = () => Boolean(hostDocument().getElementById("live-engine")) &&
  [globalThis.DecompressionStream, globalThis.WebAssembly, globalThis.Worker].every(Boolean);

export const inflateText = async (id) => new TextDecoder().decode(await inflate(id));
export const readLicences = () => inflateText("live-licences");

let parts = null;

// {ask(question, details, onStep), end()}. Questions to an engine that has ended or failed are rejected.
export async function startEngine() {
  parts ??= Promise.all([inflate("live-engine"), inflate("live-worker")]);
  const [wasm, script] = await parts;
  const address = URL.createObjectURL(new Blob([script], {type: "text/javascript"}));
  const worker = new Worker(address), waiting = new Map();
  let count = 0;
  function fail(message) {
    worker.terminate();
    for (const {reject} of waiting.values()) reject(new Error(message));
    waiting.clear();
  }
  worker.onerror = (event) => fail(event.message || "the engine could not be started");
  worker.onmessage = ({data: {id, answer, step, failure}}) => {
    const asked = waiting.get(id);
    if (!asked) return;
    if (step) return asked.onStep?.(step);
    if (failure !== undefined) return fail(failure);
    waiting.delete(id);
    asked.resolve(answer);
  };
  const ask = (question, details = {}, onStep = null) => new Promise((resolve, reject) => {
    const id = ++count;
    waiting.set(id, {resolve, reject, onStep});
    worker.postMessage({...details, id, ask: question});
  });
  await ask("start", {wasm});
  URL.revokeObjectURL(address);
  return {ask, end: () => fail("ended")};
}
