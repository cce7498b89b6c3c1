// Live pages: what they compute is what the program computes.
import assert from "node:assert/strict";
import {readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {closeBrowser, open} from "./browser.mjs";
import {folder, json, model, pictures, run, source} from "./common.mjs";

after(closeBrowser);

// A report with its engine; null where the program was built without one, which CI does not do.
async function live(name, ...options) {
  const path = join(folder, `live-${name}.html`);
  const {status, err} = await run("report", model(name), "-o", path, "--quiet", "--force", ...options);
  assert.equal(status, 0, err);
  const has = readFileSync(path, "utf8").includes('id="live-engine"');
  assert.ok(has || !process.env.CI, "the program was built without the engine of live pages (make live)");
  return has ? path : null;
}

let hopper;
before(async () => {
  hopper = await live("hopper");
});

const near = (a, b, size) => Math.abs(a - b) <= 1e-9 * Math.max(size, Math.abs(b));

// Runs a model in the engine of the page, its first free parameter moved by 3 %.
const simulate = (page, name, script) => page.evaluate(async ([file, text]) => {
  const bytes = (id) => Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  const inflate = (id) => new Response(new Blob([bytes(id)]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  if (!window.engine) {
    const worker = new Worker(URL.createObjectURL(new Blob([await inflate("live-worker")])));
    let count = 0;
    const waiting = new Map();
    worker.onmessage = ({data}) => data.step || waiting.get(data.id)(data);
    window.engine = (ask, details) => new Promise((done) => {
      waiting.set(++count, done);
      worker.postMessage({...details, id: count, ask});
    });
    await window.engine("start", {wasm: await inflate("live-engine")});
  }
  const opened = await window.engine("open", {files: {[file]: text}, words: ["report", file]});
  if (opened.failure || opened.answer.error) return {refused: opened.failure ?? opened.answer.error.message};
  const {params} = opened.answer.model, at = params.findIndex((p) => !p.fixed), values = params.map((p) => p.value);
  if (at >= 0) {
    values[at] = params[at].value === 0 ? 0.03 : params[at].value * 1.03;
    if (values[at] > params[at].upper) values[at] = params[at].value * 0.97;
  }
  const {answer, failure} = await window.engine("run", {values, depth: 0, milliseconds: 60000});
  return {failure, name: params[at]?.name, value: values[at], costs: answer?.result?.costs, events: answer?.result?.events?.length,
    error: answer?.error?.status ?? answer?.result?.error?.status};
}, [`${name}.lua`, script]);

test("every model gives the numbers of the program in the page", async (t) => {
  if (!hopper) return t.skip("no engine");
  const {page, complaints, close} = await open(hopper);
  let compared = 0;
  for (const file of readdirSync(join(source, "models")).filter((f) => f.endsWith(".lua"))) {
    const name = file.slice(0, -4), script = readFileSync(model(name), "utf8");
    const here = await simulate(page, name, script);
    if (here.refused) { // it reads a file, which a page cannot
      assert.match(script, /\b(data|include)\b/, `${name}: ${here.refused}`);
      continue;
    }
    const set = here.name ? ["--set", `${here.name}=${here.value}`] : [];
    const {out} = await run("run", model(name), "--backend", "interp", "--json", ...set);
    const there = JSON.parse(out);
    assert.equal(here.error, there.error?.status, name);
    assert.equal(here.events, there.events?.length, `${name}: events`);
    for (const [cost, {value}] of Object.entries(there.costs ?? {}))
      assert.ok(value === null || near(here.costs[cost].value, value, 1e-6), `${name} ${cost}: ${here.costs[cost].value}, expected ${value}`);
    compared++;
  }
  assert.ok(compared >= 50, `${compared} models`);
  assert.deepEqual(complaints, []);
  await close();
});

const idle = (page) => page.waitForFunction(() => {
  const {state} = window.saltus.live;
  return state.moved && !state.busy && state.complete && !state.searching;
}, null, {timeout: 30000});
const costsOf = (page) => page.evaluate(() => Object.fromEntries(window.saltus.data.costs.map(({name, value}) => [name, value])));

test("a slider simulates anew: costs, events and the command follow", async (t) => {
  if (!hopper) return t.skip("no engine");
  const {page, complaints, close} = await open(hopper);
  const before = await costsOf(page);
  const slider = page.locator(".whatif-row input[data-param]").first();
  await slider.fill("700");
  await idle(page);
  const command = await page.locator("#whatif-command").innerText();
  const set = command.match(/--set \S+/g).flatMap((word) => word.split(" "));
  const {costs, events} = await json("run", model("hopper"), ...set);
  const shown = await costsOf(page);
  for (const [cost, {value}] of Object.entries(costs))
    assert.ok(near(shown[cost], value, 1e-6), `${cost}: ${shown[cost]}, expected ${value}`);
  assert.notDeepEqual(shown, before);
  assert.equal(await page.evaluate(() => window.saltus.data.events.length), events.length);
  await page.screenshot({path: join(pictures, "hopper-live.png")});
  const address = await page.evaluate(() => location.hash);
  assert.match(address, /=/);
  await page.locator("#whatif-reset").click();
  assert.deepEqual(await costsOf(page), before);
  assert.deepEqual(complaints, []);
  await close();
});

test("minimising a cost in the page goes down, to a motion that the program has too", async (t) => {
  if (!hopper) return t.skip("no engine");
  const path = await live("bouncing_ball");
  const {page, complaints, close} = await open(path);
  const before = await costsOf(page);
  await page.locator('[data-minimise="int_y2"]').click();
  await idle(page);
  const shown = await costsOf(page);
  assert.ok(shown.int_y2 < before.int_y2, `${shown.int_y2} from ${before.int_y2}`);
  const command = await page.locator("#whatif-command").innerText();
  const {costs} = await json("run", model("bouncing_ball"), ...command.match(/--set \S+/g).flatMap((word) => word.split(" ")));
  assert.ok(near(shown.int_y2, costs.int_y2.value, 1e-6), `${shown.int_y2}, expected ${costs.int_y2.value}`);
  assert.deepEqual(complaints, []);
  await close();
});
