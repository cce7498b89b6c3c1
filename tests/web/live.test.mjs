// Live pages: what they compute is what the program computes.
import assert from "node:assert/strict";
import {readFileSync, readdirSync, statSync, writeFileSync} from "node:fs";
import {basename, join} from "node:path";
import {after, test} from "node:test";
import {closeBrowser, coloursOf, open, picture, scrollThrough, settled} from "./browser.mjs";
import {dataOf, folder, json, lines, model, pictures, run, source} from "./common.mjs";

after(closeBrowser);

// A report with its engine; null where the program was built without one, which CI does not do. The script is a file.
async function live(name, file, ...options) {
  const path = join(folder, `live-${name}.html`);
  const {status, err} = await run("report", file, "-o", path, "--quiet", "--force", ...options);
  assert.equal(status, 0, err);
  const has = readFileSync(path, "utf8").includes('id="live-engine"');
  assert.ok(has || !process.env.CI, "the program was built without the engine of live pages (make live)");
  return has ? path : null;
}
const hopper = await live("hopper", model("hopper"));
const needsEngine = {skip: !hopper && "no engine"};

const near = (a, b, size = 1e-6) => Math.abs(a - b) <= 1e-9 * Math.max(size, Math.abs(b));
const idle = (page) => page.waitForFunction(() => {
  const {state} = window.saltus.live;
  return state.moved && !state.busy && state.complete && !state.searching;
}, null, {timeout: 30000});
const costsOf = (page) => page.evaluate(() => Object.fromEntries(window.saltus.data.costs.map(({name, value}) => [name, value])));
const settings = (command) => command.match(/--set \S+/g).flatMap((word) => word.split(" "));

// ---- every model, every slider ---------------------------------------------------------------------

// Moves every slider of the page to both sides and says what the page then shows: parameters, costs as the table
// has them, times of events, and the error, if there is one. Of the last one also the table of derivatives.
const moveSliders = (page) => page.evaluate(async () => {
  const {live, data, original, whatif} = window.saltus, seen = [];
  const same = (a, b) => a?.every((value, i) => value === b[i]);
  const until = async (condition) => {
    while (!condition()) await new Promise((next) => setTimeout(next, 2));
  };
  const cells = (selector) => [...document.querySelectorAll(selector)];
  const named = (values) => Object.fromEntries(original.model.params.map(({name}, i) => [name, values[i]]));
  for (const slider of cells(".whatif-row input[type=range]")) {
    for (const place of ["-300", "60"]) {
      slider.value = place;
      slider.dispatchEvent(new Event("input", {bubbles: true}));
      const wanted = whatif.values();
      if (same(wanted, original.model.params.map(({value}) => value))) continue; // at a bound
      await until(() => !live.state.busy && same(live.state.values, wanted));
      seen.push({params: named(wanted), error: live.state.error?.status ?? null,
        costs: Object.fromEntries(cells("#predicted tr[data-cost]").map((tr) => [tr.dataset.cost, tr.querySelector("td.true").dataset.value])),
        events: data.events.map(({time}) => time)});
    }
    if (seen.length && !cells(".whatif-row").at(-1).contains(slider)) slider.dispatchEvent(new MouseEvent("dblclick", {bubbles: true}));
  }
  if (!seen.length) return {seen, gradient: null};
  await until(() => live.state.complete);
  return {seen, gradient: live.state.error ? null : {params: named(live.state.values), cells: cells("#gradient-table td[data-param]").map((td) => ({...td.dataset}))}};
});

// What the program computes for the same parameters.
async function assertTrue(name, file, {seen, gradient}) {
  const there = await lines("run", seen.map(({params}) => params), file, "--backend", "interp", "--verbose");
  seen.forEach((here, i) => {
    const {error, costs, events} = there[i], at = `${name} with ${JSON.stringify(here.params)}`;
    assert.equal(here.error, error?.status ?? null, at);
    if (error) return;
    for (const [cost, {value}] of Object.entries(costs))
      assert.ok(value === null ? here.costs[cost] === "" : near(Number(here.costs[cost]), value), `${at}: ${cost} = ${here.costs[cost]}, expected ${value}`);
    assert.equal(here.events.length, events.length, at);
    events.forEach(({time}, k) => assert.ok(near(here.events[k], time), `${at}: event ${k} at ${here.events[k]}, expected ${time}`));
  });
  if (!gradient) return;
  const [{costs}] = await lines("gradient", [gradient.params], file, "--backend", "interp", "--method", "discrete");
  assert.ok(gradient.cells.length > 0, name);
  for (const {cost, param, value} of gradient.cells) {
    const all = costs[cost].gradient, size = Math.max(...Object.values(all).map(Math.abs));
    assert.ok(near(Number(value), all[param], size), `${name}: d ${cost} / d ${param} = ${value}, expected ${all[param]}`);
  }
}

// The true costs that the page has for its sliders, as static pages show them.
async function assertTruth(name, file, path) {
  const {truth, model: {params, wrt, costs}} = JSON.parse(dataOf(path));
  if (!truth) return 0;
  const places = truth.flatMap((list, k) => list.map((place) => ({...place, set: {[params[wrt[k]].name]: params[wrt[k]].value + place.change}})));
  const there = await lines("run", places.map(({set}) => set), file);
  places.forEach(({set, costs: known}, i) => costs.forEach(({name: cost}, c) => {
    const expected = there[i].error ? null : there[i].costs[cost].value;
    assert.ok(known[c] === expected || near(known[c], expected), `${name} with ${JSON.stringify(set)}: ${cost} = ${known[c]}, expected ${expected}`);
  }));
  return places.length;
}

const models = readdirSync(join(source, "models")).filter((f) => f.endsWith(".lua")).map((f) => basename(f, ".lua"));
const pictured = new Set(["bouncing_ball", "compass_feet", "press", "tumbling_box"]);

test("the page of every model shows without a complaint, and its sliders tell the truth", async () => {
  assert.ok(models.length > 50);
  const {page, complaints, close} = await open(hopper ?? join(folder, "live-hopper.html"));
  let moves = 0, places = 0;
  // While a page is looked at, the next one is written, and the program computes what the last one should have shown.
  const write = (name) => name && (name === "hopper" ? hopper : live(name, model(name)));
  let written = write(models[0]), compared = null;
  for (const [i, name] of models.entries()) {
    const path = join(folder, `live-${name}.html`);
    await written;
    written = write(models[i + 1]);
    assert.ok(statSync(path).size < 3.5e6, `${name}: ${statSync(path).size} bytes`);
    await page.goto(`file://${path}`);
    await page.waitForSelector("footer");
    assert.ok(await coloursOf(page, "#stage") > 8, `the stage of ${name} is empty`);
    assert.match(await page.locator(".verdict").innerText(), /checks? passed/, name);
    if (pictured.has(name)) {
      await page.evaluate(() => window.saltus.clock.set(0.4 * window.saltus.clock.end));
      await scrollThrough(page);
      await picture(page, name);
    }
    const moved = hopper && await moveSliders(page);
    moves += moved?.seen.length ?? 0;
    assert.deepEqual(complaints, [], name);
    places += await compared ?? 0;
    compared = Promise.all([assertTruth(name, model(name), path), moved && assertTrue(name, model(name), moved)]).then(([count]) => count);
    compared.catch(() => {}); // awaited one page later
  }
  places += await compared;
  assert.ok(!hopper || moves > 300, `${moves} moves`);
  assert.ok(places > 1000, `${places} places`);
  await close();
});

// ---- single pages ----------------------------------------------------------------------------------

test("a slider simulates anew: costs, events and the command follow", needsEngine, async () => {
  const {page, complaints, close} = await open(hopper);
  const before = await costsOf(page);
  const slider = page.locator(".whatif-row input[data-param]").first();
  await slider.fill("700");
  await idle(page);
  const {costs, events} = await json("run", model("hopper"), ...settings(await page.locator("#whatif-command").innerText()));
  const shown = await costsOf(page);
  for (const [cost, {value}] of Object.entries(costs)) assert.ok(near(shown[cost], value), `${cost}: ${shown[cost]}, expected ${value}`);
  assert.notDeepEqual(shown, before);
  assert.equal(await page.evaluate(() => window.saltus.data.events.length), events.length);
  await page.screenshot({path: join(pictures, "hopper-live.png")});
  // On paper, too: what the costs are now.
  await page.emulateMedia({media: "print"});
  assert.ok(await page.locator("#predicted td.true").first().isVisible());
  assert.equal(await page.locator(".minimise").first().isVisible(), false);
  await page.emulateMedia({media: "screen"});
  // Who opens the address sees the same.
  const address = await page.evaluate(() => new Promise((done) => setTimeout(() => done(location.hash), 600)));
  assert.match(address, /set=k:/);
  const second = await open(hopper, {hash: address});
  await idle(second.page);
  assert.deepEqual(await costsOf(second.page), shown);
  assert.deepEqual(second.complaints, []);
  await second.close();
  await page.locator("#whatif-reset").click();
  assert.deepEqual(await costsOf(page), before);
  assert.deepEqual(complaints, []);
  await close();
});

test("minimising a cost in the page goes down, to a motion that the program has too", needsEngine, async () => {
  const {page, complaints, close} = await open(await live("bouncing_ball", model("bouncing_ball")));
  const before = await costsOf(page);
  await page.locator('[data-minimise="int_y2"]').click();
  await idle(page);
  const shown = await costsOf(page);
  assert.ok(shown.int_y2 < before.int_y2, `${shown.int_y2} from ${before.int_y2}`);
  const {costs} = await json("run", model("bouncing_ball"), ...settings(await page.locator("#whatif-command").innerText()));
  assert.ok(near(shown.int_y2, costs.int_y2.value), `${shown.int_y2}, expected ${costs.int_y2.value}`);
  assert.deepEqual(complaints, []);
  await close();
});

test("models that read files are simulated in the page: what they read is in it", needsEngine, async () => {
  const file = join(folder, "reads.lua"), other = join(folder, "elsewhere.txt");
  writeFileSync(file, `model "reads"
local d = data "track"
local y = coordinate("y", {start = param("h", 1)})
mass(y, 1)
force(y, -d.g[1] * (1 + data("more").part[2]))
include("bounce.lua", "floor", y)
cost("end", {final = y})
horizon(0, 1)
`);
  writeFileSync(join(folder, "track.csv"), "g\n9.81\n");
  writeFileSync(join(folder, "bounce.lua"), 'local y = ...\nevent("hit", {when = y, direction = "falling", restitution = param("e", 0.8)})\n');
  writeFileSync(other, "part\n0\n0.25\n");
  const options = ["--data", `more=${other}`], path = await live("reads", file, ...options);
  const {page, complaints, close} = await open(path);
  const moved = await moveSliders(page);
  assert.equal(moved.seen.length, 4); // h and floor.e, to both sides
  const there = await lines("run", moved.seen.map(({params}) => params), file, ...options);
  moved.seen.forEach((here, i) => assert.ok(near(Number(here.costs.end), there[i].costs.end.value), JSON.stringify([here, there[i]])));
  assert.deepEqual(complaints, []);
  await close();
  // Large files stay where they are, and so does the model.
  writeFileSync(other, `part\n0\n0.25\n${"0.123456789\n".repeat(100000)}`);
  const large = join(folder, "reads-large.html"), {status, err} = await run("report", file, "-o", large, ...options);
  assert.equal(status, 0);
  assert.match(err, /files that the model reads have 1\.2 MB.*not simulated in the page/);
  assert.doesNotMatch(readFileSync(large, "utf8"), /id="live-engine"/);
});

// An oscillator: the faster it is, the longer it takes.
test("a run that takes long leaves the page free, and is cut with a word", needsEngine, async () => {
  const file = join(folder, "slow.lua");
  writeFileSync(file, `model "slow"
local w = param("w", 1, {upper = 1e9})
local x = coordinate("x", {start = 1})
mass(x, 1)
force(x, -w^2 * x)
cost("end", {final = x})
horizon(0, 20)
`);
  const {page, complaints, close} = await open(await live("slow", file));
  await page.evaluate(() => window.saltus.live.limit(600));
  await page.evaluate(() => window.saltus.whatif.moveTo([1e5]));
  // While it runs, the page answers: frames come, and the clock plays.
  const longest = await page.evaluate(async () => {
    const {live} = window.saltus, began = performance.now();
    let worst = 0, last = began;
    while (!live.state.cut && performance.now() - began < 20000) {
      await new Promise((next) => requestAnimationFrame(next));
      worst = Math.max(worst, performance.now() - last);
      last = performance.now();
    }
    return worst;
  });
  assert.ok(longest < 400, `the page stood still for ${longest} ms`);
  await page.waitForFunction(() => /takes too long for a page: it was cut at t = /.test(document.querySelector("#whatif-note").innerText));
  await settled(page);
  // It goes on with what is wanted next.
  await page.locator("#whatif-reset").click();
  await page.locator(".whatif-row input[data-param]").first().fill("100");
  await idle(page);
  assert.equal(await page.evaluate(() => window.saltus.live.state.error), null);
  assert.deepEqual(complaints, []);
  await close();
});
