// The report as people see it, in Chromium.
import assert from "node:assert/strict";
import {readFileSync, statSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {after, describe, it} from "node:test";
import {axeOn, closeBrowser, coloursOf, filmIn, open, picture, scrollThrough, seconds, settled, showAllPlots} from "./browser.mjs";
import {columnsOf, folder, json, model, pictures, report, run} from "./common.mjs";

// The page's policy forbids what waitForFunction does.
async function until(page, condition) {
  for (let i = 0; i < 200; i++) {
    if (await page.evaluate(condition)) return;
    await page.waitForTimeout(25);
  }
  assert.fail(`never: ${condition}`);
}

// The report of a shipped model, written when first asked for.
const written = new Map();
function shipped(name) {
  if (!written.has(name)) written.set(name, report(name, model(name)));
  return written.get(name);
}
const fiveBar = await shipped("five_bar");
assert.equal(fiveBar.status, 0, fiveBar.err);

// Tests run several at a time, each in a window of its own: while one waits, another draws. What
// measures time runs alone.
const together = [], alone = [];
const test = (name, body) => together.push([name, body]);
const testAlone = (name, body) => alone.push([name, body]);

test("a five-bar report is one file below 2 MB that loads without a complaint", async () => {
  assert.ok(statSync(fiveBar.path).size < 2e6, `${statSync(fiveBar.path).size} bytes`);
  const {page, complaints, close} = await open(fiveBar.path);
  await showAllPlots(page);
  assert.equal(await page.title(), "five-bar - Saltus report");
  for (const id of ["motion", "gradient", "plots", "events", "check", "model", "data"])
    assert.equal(await page.locator(`section#${id}`).count(), 1, id);
  assert.match(await page.locator(".facts-row").innerText(), /4\s+bars, 2\s+springs: 6 coordinates under 4 constraints.*4 events: ground/s);
  await picture(page, "five_bar-light");
  assert.deepEqual(complaints, []);
  await close();
});

test("equal runs make equal reports", async () => {
  const again = await report("five_bar-again", model("five_bar"), "--threads", "1");
  const body = (path) => readFileSync(path, "utf8").replace(/"command":"[^"]*"/, "");
  assert.ok(body(fiveBar.path) === body(again.path));
});

test("tables hold the numbers that --json prints", async () => {
  const result = await json("gradient", model("five_bar"), "--method", "discrete");
  const {page, complaints, close} = await open(fiveBar.path);
  const shown = (text) => Number(text.replace(/\u2212/g, "-"));
  const cells = await page.locator("#gradient-table td[data-param]").evaluateAll((list) => list.map((td) => ({...td.dataset, text: td.textContent})));
  const values = await page.locator("#gradient-table td[data-cost-value]").evaluateAll((list) => Object.fromEntries(list.map((td) => [td.dataset.costValue, Number(td.dataset.value)])));
  const listed = await page.locator("#cost-table tr").evaluateAll((list) => Object.fromEntries(list.map((tr) => [tr.dataset.cost, tr.querySelector("td.num").textContent])));
  assert.deepEqual(values, Object.fromEntries(Object.entries(result.costs).map(([cost, {value}]) => [cost, value])));
  assert.equal(cells.length, 7 * 12);
  for (const {cost, param, value, text} of cells) {
    const derivative = result.costs[cost].gradient[param];
    assert.equal(Number(value), derivative, `d ${cost} / d ${param}`);
    assert.ok(Math.abs(shown(text) - derivative) <= 5e-3 * Math.abs(derivative), `${text} for ${derivative}`);
  }
  for (const [cost, {value}] of Object.entries(result.costs))
    assert.ok(Math.abs(shown(listed[cost]) - value) <= 1e-9 * Math.abs(value), cost);
  const rows = await page.locator("#event-table tr[data-event]").evaluateAll((list) => list.map((tr) => ({
    time: Number(tr.querySelector("button.link").dataset.value), cells: [...tr.querySelectorAll(".num[data-value]")].map((c) => Number(c.dataset.value)),
    name: tr.querySelector("th").textContent})));
  assert.equal(rows.length, result.events.length);
  rows.forEach((row, i) => {
    const event = result.events[i];
    assert.equal(row.time, event.time);
    assert.ok(row.name.startsWith(event.name));
    assert.ok(row.cells.includes(event.rate) && row.cells.includes(0 - event.energy_lost) && row.cells.includes(event.jump_size));
  });
  const certificate = await json("check", model("five_bar"));
  const checks = certificate.checks.filter((c) => c.result === "pass").length;
  const trust = await page.locator("#trust").innerText();
  for (const t of certificate.trust) assert.ok(trust.includes(`${t.cost} ${t.digits} digits`), trust);
  assert.match(await page.locator(".verdict").innerText(), new RegExp(`${checks} checks passed`));
  await page.getByRole("button", {name: "Elasticity"}).click();
  const cell = page.locator('#gradient-table td[data-cost="int_musq"][data-param="L01"]');
  const {value, gradient} = result.costs.int_musq;
  assert.ok(Math.abs(Number(await cell.getAttribute("data-value")) / (gradient.L01 * result.parameters.L01 / value) - 1) < 1e-12);
  assert.deepEqual(complaints, []);
  await close();
});

test("an event shows its jump matrix with names", async () => {
  const result = await json("run", model("five_bar"), "--jumps");
  const {page, close} = await open(fiveBar.path);
  await page.locator('#event-table tr[data-event="0"] button[aria-expanded]').click();
  const {rows, columns, values} = result.events[0].jump_matrix;
  const table = page.locator(".matrix");
  await table.waitFor();
  assert.deepEqual(await table.locator("thead th").allInnerTexts(), ["after \\ before", ...columns]);
  assert.deepEqual(await table.locator("tbody th").allInnerTexts(), rows);
  const shown = await table.locator("tbody td").evaluateAll((list) => list.map((td) => Number(td.dataset.value)));
  assert.deepEqual(shown, values.flat().map((v) => v + 0)); // minus zero is zero
  const moved = await page.locator(".event-details .pairs").first().locator("dd").evaluateAll((list) => list.map((d) => Number(d.dataset.value)));
  assert.deepEqual(moved, Object.values((await json("gradient", model("five_bar"), "--method", "discrete", "--event-times")).events[0].time_gradient));
  await page.locator("#events").screenshot({path: join(pictures, "five_bar-event.png")});
  await close();
});

test("the table of events says what changed", async () => {
  const {path} = await shipped("bouncing_ball");
  const {events} = await json("run", model("bouncing_ball"));
  const {page, complaints, close} = await open(path);
  const texts = await page.locator("#event-table .changed").allInnerTexts();
  assert.equal(texts.length, events.length);
  texts.forEach((text, i) => {
    const [, before, after] = /^dot\(y\) (\S+) \u2192 (\S+)$/.exec(text.replace(/\u2212/g, "-"));
    assert.ok(Math.abs(before - events[i].rate) < 5e-3 * Math.abs(before) && Math.abs(after / before + 0.8) < 5e-3, text); // e = 0.8, the guard is y
  });
  assert.deepEqual(complaints, []);
  await close();
});

test("it plays, pauses, scrubs and steps from event to event", async () => {
  const {page, complaints, close} = await open(fiveBar.path);
  const still = await page.evaluate(() => document.querySelector("#stage").toDataURL());
  assert.equal(await seconds(page), 0);
  await page.locator("#play").click();
  await until(page, () => window.saltus.clock.t > 0.05);
  assert.equal(await page.locator("#play").getAttribute("aria-label"), "Pause");
  await page.locator("#play").click();
  await until(page, () => !window.saltus.clock.playing);
  const stopped = await seconds(page);
  await page.waitForTimeout(80);
  assert.equal(await seconds(page), stopped);
  assert.notEqual(await page.evaluate(() => document.querySelector("#stage").toDataURL()), still);
  await page.locator("#scrub").fill("5000");
  assert.ok(Math.abs(await seconds(page) - 1) < 1e-9);
  assert.equal(await page.locator("#time").innerText(), "t = 1");
  await page.locator("#scrub").press("ArrowRight");
  assert.ok(await seconds(page) > 1);
  await page.locator("#rewind").click();
  for (const event of (await json("run", model("five_bar"))).events) {
    await page.locator("#next-event").click();
    assert.equal(await seconds(page), event.time);
    assert.match(await page.locator(".badge").innerText(), /^ground/);
  }
  await page.locator("#next-event").click();
  assert.equal(await seconds(page), 2);
  await page.locator("#previous-event").click();
  assert.ok(Math.abs(await seconds(page) - 1.9188) < 1e-3);
  // A motion that is over begins anew.
  await page.evaluate(() => window.saltus.clock.set(2));
  await page.locator("#play").click();
  await until(page, () => window.saltus.clock.t > 0.01 && window.saltus.clock.t < 1);
  assert.deepEqual(complaints, []);
  await close();
});

test("the keyboard reaches and moves everything", async () => {
  const {page, close} = await open(fiveBar.path);
  await page.locator("#stage").focus();
  await page.keyboard.press("ArrowRight");
  assert.ok(await seconds(page) > 0);
  await page.keyboard.press("PageDown");
  assert.ok(Math.abs(await seconds(page) - 0.284) < 1e-3);
  await page.keyboard.press(" ");
  await until(page, () => window.saltus.clock.playing);
  await page.keyboard.press(" ");
  await until(page, () => !window.saltus.clock.playing);
  const reached = new Set();
  await page.locator(".skip").focus();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.dataset.param || document.activeElement.textContent.slice(0, 20)));
  }
  for (const what of ["play", "scrub", "next-event", "theme", "speed", "k1", "whatif-reset"]) assert.ok(reached.has(what), `${what}: ${[...reached]}`);
  await close();
});

test("all plots draw; the cursor moves the mechanism and follows it; one window for all", async () => {
  const {page, complaints, close} = await open(fiveBar.path);
  await showAllPlots(page);
  const ids = await page.locator(".plot-panel").evaluateAll((list) => list.map((p) => p.dataset.plot));
  for (const id of ["positions", "velocities", "accelerations", "multipliers", "costs", "sensitivities", "adjoints", "energy", "residuals", "duality"])
    assert.ok(ids.includes(id), id);
  for (const id of ids)
    assert.ok(await coloursOf(page, `#plot-${id} canvas`) > 4, `${id} is empty`);
  const plot = page.locator("#plot-positions");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 100);
  await settled(page);
  const middle = await seconds(page);
  assert.ok(middle > 0.5 && middle < 1.3, `${middle}`);
  const cursorAt = () => page.locator("#plot-velocities .cursor").evaluate((c) => c.getBoundingClientRect().x);
  const first = await cursorAt();
  await page.evaluate(() => window.saltus.clock.set(0.2));
  assert.ok(await cursorAt() < first - 50);
  const value = await page.locator('[data-plot="positions"] .legend output').first().innerText();
  await page.evaluate(() => window.saltus.clock.set(1.2));
  assert.notEqual(await page.locator('[data-plot="positions"] .legend output').first().innerText(), value);
  // Zoom by dragging: the other plots follow.
  const labels = () => page.locator("#plot-velocities .dygraph-axis-label-x").allInnerTexts();
  const all = await labels();
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 110, {steps: 4});
  await page.mouse.up();
  await settled(page);
  assert.notDeepEqual(await labels(), all);
  await page.getByRole("button", {name: "Show all of the time"}).click();
  await settled(page);
  assert.deepEqual(await labels(), all);
  // A series can be switched off.
  const before = await page.evaluate(() => document.querySelector("#plot-positions canvas").toDataURL());
  await page.locator('[data-plot="positions"] .chip').first().click();
  assert.equal(await page.locator('[data-plot="positions"] .chip').first().getAttribute("aria-pressed"), "false");
  assert.notEqual(await page.evaluate(() => document.querySelector("#plot-positions canvas").toDataURL()), before);
  // Another cost, other sensitivities.
  const curves = await page.evaluate(() => document.querySelector("#plot-sensitivities canvas").toDataURL());
  await page.locator('[data-plot="sensitivities"] select').selectOption("2");
  assert.notEqual(await page.evaluate(() => document.querySelector("#plot-sensitivities canvas").toDataURL()), curves);
  assert.deepEqual(complaints, []);
  await close();
});

test("sliders move the predicted costs along the gradient, and a ghost", async () => {
  const result = await json("gradient", model("five_bar"), "--method", "discrete");
  const {page, complaints, close} = await open(fiveBar.path);
  await page.evaluate(() => window.saltus.clock.set(1));
  const plain = await page.evaluate(() => document.querySelector("#stage").toDataURL());
  await page.locator('input[data-param="k1"]').fill("500");
  await settled(page);
  const delta = 0.5 * 0.05 * result.parameters.k1;
  for (const [cost, {value, gradient}] of Object.entries(result.costs)) {
    const shown = Number(await page.locator(`#predicted tr[data-cost="${cost}"] td`).nth(1).getAttribute("data-value"));
    const expected = value + delta * gradient.k1;
    assert.ok(Math.abs(shown - expected) <= 1e-12 * Math.max(1, Math.abs(expected)), `${cost}: ${shown}, expected ${expected}`);
  }
  const ghost = await page.evaluate(() => document.querySelector("#stage").toDataURL());
  assert.notEqual(ghost, plain);
  await page.locator("#motion").screenshot({path: join(pictures, "five_bar-whatif.png")});
  await page.locator('input[data-param="L02"]').fill("1000");
  assert.match(await page.locator("#whatif-note").innerText(), /Beyond the marked part of L02/);
  assert.equal(await page.locator("#predicted td.doubtful").count() > 0, true);
  await page.locator("#whatif-reset").click();
  await settled(page);
  assert.equal(await page.evaluate(() => document.querySelector("#stage").toDataURL()), plain);
  assert.deepEqual(complaints, []);
  await close();
});

test("what the page shows as true is what the program computes", async () => {
  for (const name of ["five_bar", "bouncing_ball"]) {
    const {path} = await shipped(name);
    const {parameters} = await json("run", model(name));
    const {page, complaints, close} = await open(path);
    for (const param of (await page.locator(".whatif-row input[data-param]").evaluateAll((list) => list.map((i) => i.dataset.param))).slice(0, 4))
      for (const place of ["-1000", "250", "510"]) { // close to a place it goes there
        const slider = page.locator(`input[data-param="${param}"]`);
        await slider.fill(place);
        const value = parameters[param] + Math.round(place / 250) / 4 * 0.05 * (Math.abs(parameters[param]) || 1);
        const {costs} = await json("run", model(name), "--set", `${param}=${value}`);
        for (const [cost, {value: expected}] of Object.entries(costs)) {
          const shown = Number(await page.locator(`#predicted tr[data-cost="${cost}"] td.true`).getAttribute("data-value"));
          assert.ok(Math.abs(shown - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${name} ${param} ${place} ${cost}: ${shown}, expected ${expected}`);
        }
        assert.match(await page.locator("#whatif-command").innerText(), new RegExp(`--set ${param}=`));
        await slider.fill("0");
      }
    assert.deepEqual(complaints, []);
    await close();
  }
});

test("light and dark: as the system says, or as one chooses", async () => {
  const brightness = (page, selector) => page.evaluate((s) => {
    const [r, g, b] = getComputedStyle(document.querySelector(s)).backgroundColor.match(/[\d.]+/g).map(Number);
    return (r + g + b) / 3;
  }, selector);
  const corner = (page) => page.evaluate(() => {
    const copy = new OffscreenCanvas(8, 8).getContext("2d", {willReadFrequently: true});
    copy.drawImage(document.querySelector("#stage"), 0, 0);
    return copy.getImageData(3, 3, 1, 1).data[0];
  });
  const {page, complaints, close} = await open(fiveBar.path, {colorScheme: "dark"});
  assert.ok(await brightness(page, "body") < 60);
  assert.ok(await corner(page) < 60);
  await scrollThrough(page);
  await picture(page, "five_bar-dark");
  await page.locator("#theme").click();
  assert.ok(await brightness(page, "body") > 200);
  assert.ok(await corner(page) > 200);
  await page.locator("#theme").click();
  assert.ok(await brightness(page, "body") < 60);
  assert.deepEqual(complaints, []);
  await close();
});

for (const name of ["five_bar", "chain"]) {
  test(`a phone shows all of ${name} without scrolling sideways, and nothing jumps`, async () => {
    const {path} = await shipped(name);
    const {page, complaints, close} = await open(path, {viewport: {width: 390, height: 844}});
    await page.evaluate(() => {
      window.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((e) => (window.shift += e.value))).observe({type: "layout-shift", buffered: true});
    });
    await scrollThrough(page);
    await page.evaluate(() => window.saltus.clock.set(0.5));
    await page.locator(".whatif-row input[data-param]").first().fill("300");
    await settled(page);
    const shift = await page.evaluate(() => window.shift);
    assert.ok(shift < 0.01, `layout shift ${shift}`);
    await picture(page, `${name}-phone`);
    await showAllPlots(page);
    await until(page, () => document.documentElement.scrollWidth <= 390); // plots take their width in their own time
    assert.deepEqual(complaints, []);
    await close();
  });
}

test("downloads hold the data", async () => {
  const {page, close} = await open(fiveBar.path);
  const save = async (id) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.locator(`#${id}`).click()]);
    return {name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8")};
  };
  const motion = await save("csv-motion");
  assert.equal(motion.name, "five_bar.csv");
  const columns = columnsOf(motion.text);
  const real = columnsOf((await run("run", model("five_bar"), "-o", "-", "--quiet", "--every", "0.5")).out);
  for (const name of ["P2.y", "dot(P1.x)", "ddot(P2.y)", "multiplier(1-2)", "int_musq"]) {
    const i = columns.t.findIndex((t, k) => t === 2 && k > 0), k = real.t.indexOf(2);
    assert.ok(Math.abs(columns[name][i] - real[name][k]) <= 1e-6 * Math.max(1, Math.abs(real[name][k])), name);
  }
  assert.ok("d(P2.y)/d(k1)" in columns && "d(int_yd2)/d(L02)" in columns);
  const gradient = columnsOf((await save("csv-gradient")).text.replace(/^cost,/, "mode,"));
  const result = await json("gradient", model("five_bar"), "--method", "discrete");
  assert.equal(gradient.L02[gradient.mode.indexOf("int_musq")], result.costs.int_musq.gradient.L02);
  const all = JSON.parse((await save("json-all")).text);
  assert.equal(all.costs.int_musq.gradient.L02, result.costs.int_musq.gradient.L02);
  assert.deepEqual(all.events.map((e) => e.time), result.events.map((e) => e.time));
  assert.equal(all.rows.length, columns.t.length);
  assert.equal(all.columns.length, all.rows[0].length);
  await close();
});

test("nothing in a script is read as HTML", async () => {
  const evil = "</script><script>window.hacked = 1</script><img src=x onerror=\\\"window.hacked = 2\\\"><!--";
  const name = "</script><script>hacked()</script><b>"; // no = in names of parameters and costs
  const {path, status, err} = await report("evil", `model "${evil}"
local p = param("p ${name}", 2, {unit = "<i>${evil}", doc = "${evil}"})
local q = coordinate("${evil}", {start = 1, unit = "${evil}"})
local up, down = mode "<u>${evil}", mode "${evil}2"
mass(q, 1)
force(q, -p)
event("${evil}", {from = up, to = down, when = q, direction = "falling", restitution = 0.5})
output("${evil}", q)
memory("m ${evil}", 1)
cost("c ${name}", {integral = q, unit = "${evil}", doc = "${evil}"})
draw.circle {{0, q}, radius = 0.1, name = "${evil}"}
horizon(0, 1.2) -- ${evil}
`);
  assert.equal(status, 0, err);
  const {page, complaints, close} = await open(path);
  await showAllPlots(page);
  await page.locator("#event-table button[aria-expanded]").first().click();
  await page.locator("#script summary").click();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.match(await page.locator("h1").innerText(), /<\/script><script>window.hacked = 1/);
  assert.match(await page.title(), /^<\/script><script>/);
  assert.match(await page.locator("#script code").innerText(), /onerror/);
  assert.deepEqual(complaints, []);
  await close();
});

test("scripts and styles that are not the page's own do not run, should any get into it", async () => {
  const {path} = await shipped("bouncing_ball");
  const changed = path.replace(/\.html$/, "-changed.html");
  writeFileSync(changed, readFileSync(path, "utf8").replace("<body>", `<base href="https://example.org/"><body>
<script>window.hacked = 1</script><style>h1 { display: none }</style><p onclick="window.hacked = 2" id="bait">p</p>`));
  const {page, complaints, close} = await open(changed);
  await page.locator("#bait").click();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.ok(await page.locator("h1").isVisible());
  assert.equal(await page.evaluate(() => document.baseURI), `file://${changed}`);
  for (const part of ["script", "style", "base"])
    assert.ok(complaints.some((c) => /Content Security Policy/.test(c) && c.includes(part)), `${part}: ${complaints}`);
  await close();
});

test("a run that could not go on is shown until there, with a banner", async () => {
  const {path, status, err} = await report("zeno", `model "zeno"
local y = coordinate("y", {start = param("h", 1)})
mass(y, 1)
force(y, -9.81)
event("floor", {when = y, direction = "falling", restitution = 0.5})
cost("area", {integral = y})
horizon(0, 3)
`);
  assert.equal(status, 3);
  assert.match(err, /floor/);
  const {page, complaints, close} = await open(path);
  assert.match(await page.locator(".banner.bad").innerText(), /could not go on.*accumulate.*ends at t/s);
  assert.ok(await coloursOf(page, "#stage") > 5);
  assert.ok(await page.locator("#event-table tr[data-event]").count() > 5);
  await picture(page, "zeno");
  assert.deepEqual(complaints, []);
  await close();
});

test("where there is no gradient, that is said, and the motion is shown", async () => {
  const {path, status} = await report("grazing", `model "grazing"
local y = coordinate("y", {start = -1, speed = param("s", 1)})
mass(y, 1)
event("touch", {when = y^3, direction = "any"})
cost("area", {integral = y})
horizon(0, 2)
`);
  assert.equal(status, 3);
  const {page, complaints, close} = await open(path);
  assert.match(await page.locator(".banner.bad").innerText(), /There is no gradient.*grazing/);
  assert.match(await page.locator("#gradient").innerText(), /grazing/);
  assert.match(await page.locator("#event-table").innerText(), /grazing/);
  assert.ok(await coloursOf(page, "#stage") > 5);
  assert.deepEqual(complaints, []);
  await close();
});

test("models without parameters, costs or events have a report too", async () => {
  const {path, status, err} = await report("bare", 'model "bare"\nlocal x = coordinate("x", {start = 1})\nmass(x, 1)\nforce(x, -x)\nhorizon(0, 1)\n');
  assert.equal(status, 0, err);
  const {page, complaints, close} = await open(path);
  assert.match(await page.locator("#gradient").innerText(), /no costs/);
  assert.match(await page.locator("#events").innerText(), /Nothing happened/);
  await showAllPlots(page);
  assert.ok(await coloursOf(page, "#stage") > 5, "coordinates as dots");
  assert.deepEqual(complaints, []);
  await close();
});

test("motors, torsion springs and gaps are drawn, and leave where their modes end", async () => {
  const script = (mode) => `model "drive"
local on, off = mode "on", mode "off"
local O = ground_point(0, 0)
local A = body("A", {guess = {0.5, 0, 0}, mass = 1, inertia = 1})
joint.revolute {A:point(-0.5, 0), O}
motor {A, torque = 1${mode}}
torsion_spring {A, stiffness = 2${mode}}
contact {gap = A.y + 0.4, restitution = 0.5}
horizon(0, 1)
`;
  const shown = {};
  for (const mode of [", mode = on", ", mode = off"]) {
    const {path, status, err} = await report(`drive${mode.length}`, script(mode));
    assert.equal(status, 0, err);
    const {page, complaints, close} = await open(path);
    shown[mode] = await page.evaluate(() => document.querySelector("#stage").toDataURL());
    assert.deepEqual(complaints, []);
    await close();
  }
  assert.notEqual(shown[", mode = on"], shown[", mode = off"]);
});

test("gears are drawn as wheels while their mode lasts, and counted", async () => {
  const script = (mode) => `model "train"
local on, off = mode "on", mode "off"
local A = body("A", {mass = 1, inertia = 1})
local B = body("B", {x = 1, mass = 1, inertia = 1})
local C = body("C", {x = 3, mass = 1, inertia = 1})
gear {A, B, ratio = 0.5${mode}}
gear {B, C, ratio = -3${mode}, name = "inner"}
horizon(0, 1)
`;
  const shown = {};
  for (const mode of [", mode = on", ", mode = off"]) {
    const {path, status, err} = await report(`train${mode.length}`, script(mode));
    assert.equal(status, 0, err);
    const {page, complaints, close} = await open(path);
    assert.match(await page.locator(".facts-row").innerText(), /3\sbodies, 2\sgears: 9/);
    shown[mode] = await page.evaluate(() => document.querySelector("#stage").toDataURL());
    await picture(page, `gears${mode.length}`);
    assert.deepEqual(complaints, []);
    await close();
  }
  assert.notEqual(shown[", mode = on"], shown[", mode = off"]);
});

test("a model too large for sensitivities over time says so in its report", async () => {
  const {path, status, err} = await report("wide", `model "wide"
local x = {}
for i = 1, 120 do
  x[i] = coordinate("x" .. i, {start = i == 1 and 1 or 0})
  mass(x[i], 1)
  potential(0.5 * param("k" .. i, 1) * (x[i] - (x[i - 1] or 0))^2)
end
cost("end", {integral = x[120]^2})
horizon(0, 0.1)
`);
  assert.equal(status, 0, err);
  const {page, complaints, close} = await open(path);
  assert.match(await page.locator(".banner.warn").innerText(), /no sensitivities over time.*20000 are the most; --wrt and --cost choose fewer/);
  assert.equal(await page.locator('.plot-panel[data-plot="sensitivities"]').count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

// A point that slides up a slope and sticks there, and another that falls on it and slides down without friction.
const slope = `
model "point on a slope"
local mu, u = param("mu", 1), param("u", 3)
local P = point("P", {x = 0, y = 0, speed = {u * cos(0.4), u * sin(0.4)}})
mass(P, 1)
gravity(0, -9.81)
contact {P, line = {ground_point(0, 0), ground_point(cos(0.4), sin(0.4))}, friction = mu, start = "closed", name = "foot"}
local Q = point("Q", {x = 1, y = 1})
mass(Q, 1)
contact {Q, line = {ground_point(0, 0), ground_point(cos(0.4), sin(0.4))}, slides = true, name = "drop"}
cost("x_end", {final = P.x})
horizon(0, 1)
`;
const slopeReport = () => (written.get("slope") ?? written.set("slope", report("slope", slope)).get("slope"));

// The pixels of the stage that have a colour of the style sheet, as {count, x, y}: their centre, in pixels of the page. Thin
// lines that lean have few pixels of just their colour.
const inkOn = (page, name, off = 12) => page.evaluate(([wanted, most]) => {
  const canvas = document.querySelector("#stage");
  const g = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
  g.drawImage(canvas, 0, 0);
  const [r, gr, b] = getComputedStyle(document.documentElement).getPropertyValue(`--${wanted}`).trim().match(/[0-9a-f]{2}/g).map((h) => parseInt(h, 16));
  const {data, width} = g.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0, x = 0, y = 0;
  for (let i = 0; i < data.length; i += 4)
    if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - gr) + Math.abs(data[i + 2] - b) < most)
      count++, x += i / 4 % width, y += Math.floor(i / 4 / width);
  return {count, x: x / count, y: y / count};
}, [name, off]);

test("contacts are dots, with a friction cone and the reaction while they touch", async () => {
  const {path, status, err} = await slopeReport();
  assert.equal(status, 0, err);
  const {page, complaints, close} = await open(path);
  const at = (t) => page.evaluate((to) => window.saltus.clock.set(to), t).then(() => settled(page));
  await at(0.1);
  assert.ok((await inkOn(page, "slide-plus")).count > 30, "it slides");
  assert.equal((await inkOn(page, "stick")).count, 0);
  await at(0.3);
  const foot = await inkOn(page, "stick"), arrows = await inkOn(page, "reaction");
  assert.ok(foot.count > 30, "it sticks");
  // What a point that rests is pushed with is vertical; its parts, along the slope and normal to it, are beside it.
  assert.ok(arrows.count > 60 && arrows.y < foot.y - 8 && Math.abs(arrows.x - foot.x) < 8, JSON.stringify({foot, arrows}));
  // mu = 1: 45 degrees to both sides of the normal, which leans to the left.
  const tinted = (degrees) => page.evaluate(([x, y, angle]) => {
    const copy = new OffscreenCanvas(1, 1).getContext("2d");
    copy.drawImage(document.querySelector("#stage"), -Math.round(x + 32 * Math.cos(angle)), -Math.round(y - 32 * Math.sin(angle)));
    const [red, green] = copy.getImageData(0, 0, 1, 1).data;
    return green - red > 8;
  }, [foot.x, foot.y, Math.PI / 2 + 0.4 + degrees * Math.PI / 180]);
  const seen = [];
  for (const degrees of [-54, -38, 38, 54]) seen.push(await tinted(degrees));
  assert.deepEqual(seen, [false, true, true, false]);
  await page.getByLabel("Contacts").uncheck();
  assert.equal((await inkOn(page, "stick")).count + (await inkOn(page, "reaction")).count, 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("an impact flashes its impulse", async () => {
  const {path} = await slopeReport();
  const {page, complaints, close} = await open(path);
  const at = (t) => page.evaluate((to) => window.saltus.clock.set(to), t).then(() => settled(page));
  const {time} = await page.evaluate(() => window.saltus.data.events.find((e) => e.name === "drop"));
  await at(time);
  assert.ok((await inkOn(page, "impulse")).count > 40);
  await picture(page, "contacts", false);
  await at(time + 0.1);
  assert.equal((await inkOn(page, "impulse")).count, 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("contacts over time are bands, one row each, that zoom and set the time", async () => {
  const {path} = await slopeReport();
  const {page, complaints, close} = await open(path);
  await showAllPlots(page);
  await page.locator('.track[data-contact="foot"] .band').nth(1).waitFor({state: "attached"});
  await settled(page);
  const bands = (name) => page.locator(`.track[data-contact="${name}"] .band`).evaluateAll((list) => list.map((b) => [b.dataset.kind, Number(b.dataset.from), Number(b.dataset.to)]));
  const {events} = await page.evaluate(() => window.saltus.data);
  const stop = events.find((e) => e.name === "foot.stop").time, drop = events.find((e) => e.name === "drop").time;
  assert.deepEqual(await bands("foot"), [["slide+", 0, stop], ["stick", stop, 1]]);
  assert.deepEqual((await bands("drop")).slice(0, 1), [["open", 0, drop]]);
  assert.equal(await page.locator('.track[data-contact="drop"] .mark-touch').count(), 1);
  assert.match(await page.locator(".bands .legend").innerText(), /slides \+.*sticks.*open.*touches/s);
  assert.match(await page.locator('.track[data-contact="foot"]').getAttribute("aria-label"), /^foot slides \+ until 0\.23\d*, sticks until 1$/);
  const colours = await page.locator('.track[data-contact="foot"] .band').evaluateAll((list) => list.map((b) => getComputedStyle(b).backgroundColor));
  assert.equal(new Set(colours).size, 2);
  const box = await page.locator('.track[data-contact="foot"]').boundingBox();
  await page.locator('.track[data-contact="foot"]').click({position: {x: 0.8 * box.width, y: 5}});
  await settled(page);
  assert.ok(Math.abs(await seconds(page) - 0.8) < 0.01);
  await page.getByRole("button", {name: "Zoom in"}).click();
  await settled(page);
  assert.deepEqual(await bands("foot"), [["stick", stop, 1]]);
  assert.deepEqual(await page.locator("#event-table tbody tr .changed").evaluateAll((list) => list.map((td) => td.querySelector("div:not(.jumps)")?.textContent ?? "")),
    events.map((e) => ({"foot.stop": "foot.slide+ \u2192 foot.stick", drop: `drop.open \u2192 ${e.to.split(" + ").pop()}`})[e.name] ?? ""));
  assert.deepEqual(complaints, []);
  await close();
});

testAlone("tens of thousands of rows stay smooth", async () => {
  const {path} = await report("many", model("bouncing_ball"), "--every", "0.00005");
  const {page, complaints, close} = await open(path);
  assert.ok(await page.evaluate(() => window.saltus.data.motion.rows) > 40000);
  await showAllPlots(page);
  const median = await page.evaluate(() => {
    const times = [];
    for (let i = 0; i < 31; i++) {
      const start = performance.now();
      window.saltus.clock.set(2 * i / 31);
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[15];
  });
  assert.ok(median < 50, `${median} ms for a step of the time with all plots shown`);
  await page.getByRole("button", {name: "Zoom in"}).click();
  await settled(page);
  assert.ok(await coloursOf(page, "#plot-positions canvas") > 4);
  assert.deepEqual(complaints, []);
  await close();
});

test("it plays once by itself, unless nothing is to move", async () => {
  const moving = await open(fiveBar.path, {reducedMotion: "no-preference"});
  await until(moving.page, () => window.saltus.clock.t > 0.05);
  await moving.page.evaluate(() => (window.saltus.clock.speed = 50));
  await until(moving.page, () => !window.saltus.clock.playing);
  assert.equal(await seconds(moving.page), 2);
  assert.deepEqual(moving.complaints, []);
  await moving.close();
  const still = await open(fiveBar.path);
  await still.page.waitForTimeout(100);
  assert.equal(await seconds(still.page), 0);
  await still.close();
});

test("a page that was just opened prints its stage, all plots that are switched on, and the script", async () => {
  const {page, complaints, close} = await open(fiveBar.path);
  assert.equal(await page.locator("#plot-sensitivities canvas").count(), 0, "it was never scrolled to");
  // What is on paper is taken while the page is being printed.
  await page.evaluate(() => addEventListener("beforeprint", () => {
    const count = (panel) => panel.querySelectorAll(".on-paper path").length;
    window.printed = {stage: count(document.querySelector("#stage-panel")), script: document.querySelector("#script").open,
      plots: [...document.querySelectorAll(".plot-panel:not([hidden])")].map((p) => [p.dataset.plot, count(p)])};
  }));
  const pdf = await page.pdf({path: join(pictures, "five_bar.pdf"), format: "A4"});
  assert.ok(pdf.length > 20000);
  const {stage, plots, script} = await page.evaluate(() => window.printed);
  assert.ok(stage > 30, `${stage}`);
  assert.ok(script);
  assert.deepEqual(plots.map(([id]) => id), ["positions", "velocities", "costs", "sensitivities"]);
  for (const [id, count] of plots) assert.ok(count > 20, `${id}: ${count}`);
  assert.equal(await page.locator(".on-paper").count(), 0, "and nothing of it stays");
  await page.emulateMedia({media: "print"});
  assert.equal(await page.locator("nav").isVisible(), false);
  assert.deepEqual(complaints, []);
  await close();
});

test("a swipe up on a plot scrolls, one to the side moves the time", async () => {
  const {page, complaints, close} = await open(fiveBar.path, {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});
  await page.locator("#plot-positions").scrollIntoViewIfNeeded();
  await page.locator("#plot-positions canvas").first().waitFor();
  const fingers = await page.context().newCDPSession(page.whole);
  const swipe = async (dx, dy) => {
    const box = await page.locator("#plot-positions").boundingBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    await fingers.send("Input.dispatchTouchEvent", {type: "touchStart", touchPoints: [{x, y}]});
    for (let i = 1; i <= 8; i++) await fingers.send("Input.dispatchTouchEvent", {type: "touchMove", touchPoints: [{x: x + dx * i / 8, y: y + dy * i / 8}]});
    await fingers.send("Input.dispatchTouchEvent", {type: "touchEnd", touchPoints: []});
    await settled(page);
  };
  const top = async () => { // once the page rests
    for (let last = NaN, now; ; last = now) {
      now = await page.evaluate(() => scrollY);
      if (now === last) return now;
      await page.waitForTimeout(120);
    }
  };
  const before = await top();
  await swipe(0, -160);
  assert.ok(await top() > before + 80, `${before} to ${await top()}`);
  // How far the page has gone on by itself depends on how fast the finger was.
  await page.locator("#plot-positions").evaluate((plot) => plot.scrollIntoView({block: "center", behavior: "instant"}));
  const [there, t] = [await top(), await seconds(page)];
  await swipe(-90, 0);
  assert.ok(Math.abs(await top() - there) < 5);
  assert.notEqual(await seconds(page), t);
  assert.deepEqual(complaints, []);
  await close();
});

const desktop = {colorScheme: "light"}, phone = {colorScheme: "dark", viewport: {width: 390, height: 844}};
for (const [which, options] of [["hopper", phone], ["chain", desktop], ["cradle5", phone], ["coulomb", desktop], ["fit_bounce", phone]])
  test(`axe finds nothing to mend in ${which}`, async () => {
    const {page, complaints, close} = await open((await shipped(which)).path, options);
    await showAllPlots(page);
    await page.locator("#event-table button[aria-expanded]").first().click();
    await page.locator(".whatif-row input[data-param]").first().fill("300");
    assert.deepEqual(await axeOn(page), []);
    await page.keyboard.press("?");
    await page.locator("#keys").waitFor();
    assert.deepEqual(await axeOn(page, "#keys"), []);
    assert.deepEqual(complaints, []);
    await close();
  });

for (const [name, options] of [["light, on a desktop", desktop], ["dark, on a phone", phone]])
  test(`axe finds nothing to mend with two motions: ${name}`, async () => {
    const other = join(folder, `saved-${options.colorScheme}.json`); // tests run at the same time
    writeFileSync(other, (await run("gradient", model("five_bar"), "--set", "k1=101", "--json")).out);
    const two = await report(`two-${options.colorScheme}`, model("five_bar"), other);
    assert.equal(two.status, 0, two.err);
    const {page, complaints, close} = await open(two.path, options);
    await showAllPlots(page);
    await page.locator("#event-table button[aria-expanded]").first().click();
    await page.locator(".hint-button").first().click();
    await page.locator("#script summary").click();
    assert.deepEqual(await axeOn(page), []);
    // The second motion is there, too.
    assert.equal(await page.locator("#compared-parameters tbody tr").count(), 1);
    assert.match(await page.locator("#compared-costs").innerText(), /int_musq/);
    const both = await page.evaluate(() => document.querySelector("#stage").toDataURL());
    await page.getByRole("checkbox", {name: "the other"}).uncheck();
    assert.notEqual(await page.evaluate(() => document.querySelector("#stage").toDataURL()), both);
    assert.deepEqual(complaints, []);
    await close();
  });

test("the mechanism is on the first screen and stays in sight; it zooms and follows", async () => {
  const inside = (page, selector) => page.locator(selector).evaluate((e) => {
    const {top, bottom} = e.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  for (const viewport of [{width: 1440, height: 900}, {width: 390, height: 844}]) {
    const {page, complaints, close} = await open((await shipped("hopper")).path, {viewport});
    for (const selector of ["h1", ".about", "#stage", "#scrub", "#play", ".tile"])
      assert.ok(await inside(page, `${selector} >> nth=0`), `${selector} at ${viewport.width}`);
    assert.equal(await page.locator("#dock").isVisible(), false);
    await page.locator("#events").scrollIntoViewIfNeeded();
    await page.locator("#dock").waitFor();
    const small = () => page.evaluate(() => document.querySelector("#mini-stage").toDataURL());
    const before = await small();
    await page.locator("#event-table button.link").nth(1).click();
    await settled(page);
    assert.notEqual(await small(), before, "the small stage follows");
    assert.deepEqual(complaints, []);
    await close();
  }
  const {page, close} = await open((await shipped("hopper")).path);
  const picture = () => page.evaluate(() => document.querySelector("#stage").toDataURL());
  const whole = await picture();
  for (const id of ["#view-in", "#view-follow"]) {
    await page.locator(id).click();
    assert.notEqual(await picture(), whole, id);
    await page.locator("#view-whole").click();
    assert.equal(await picture(), whole, id);
  }
  await page.evaluate(() => window.saltus.clock.set(0.2));
  await page.locator("#stage-panel").getByLabel("Velocities").check();
  assert.ok((await inkOn(page, "velocity")).count > 20);
  await page.keyboard.press("?");
  assert.ok(await page.locator("#keys").isVisible());
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  assert.ok(await seconds(page) > 0.2);
  await close();
});

// Coordinates go where their names say: a falling y falls, and there is a floor where it bounces.
test("models without a drawing are drawn by the names of their coordinates, others as phase portraits", async () => {
  const script = (name) => `model "ball"
local q = coordinate("${name}", {start = 1})
mass(q, 1)
force(q, -9.81)
event("floor", {when = q, direction = "falling", restitution = param("e", 0.8)})
cost("end", {final = q})
horizon(0, 1)
`;
  const falling = await open((await report("falls", script("y"))).path);
  const at = (page, t) => page.evaluate((to) => window.saltus.clock.set(to), t).then(() => settled(page)).then(() => inkOn(page, "body"));
  const high = await at(falling.page, 0), low = await at(falling.page, 0.4);
  assert.ok(high.count > 50 && low.y > high.y + 100 && Math.abs(low.x - high.x) < 2, JSON.stringify({high, low}));
  assert.ok((await inkOn(falling.page, "hatch", 60)).count > 200, "a floor");
  await falling.page.evaluate(() => window.saltus.clock.set(window.saltus.data.events[0].time));
  await settled(falling.page);
  assert.ok((await inkOn(falling.page, "impulse")).count > 20, "a hit");
  assert.deepEqual(falling.complaints, []);
  await falling.close();
  const angle = await open((await report("turns", script("phi"))).path);
  assert.match(await angle.page.locator("#stage-panel .note").innerText(), /phase portraits/);
  assert.ok((await inkOn(angle.page, "bar")).count > 50, "where it is");
  assert.deepEqual(angle.complaints, []);
  await angle.close();
});

test("a hundred parameters are folded to the strongest and found by name", async () => {
  const names = Array.from({length: 100}, (_, i) => `local p${i} = param("a_rather_long_name_${i}", ${i === 57 ? 3 : 0.01})
f = f + p${i}`);
  const {path, status, err} = await report("many-parameters", `model "many"
local f = 0
${names.join("\n")}
local x = coordinate("x", {start = 1})
mass(x, 1)
force(x, -f * x)
cost("area", {integral = x^2})
horizon(0, 1)
`);
  assert.equal(status, 0, err);
  const {page, complaints, close} = await open(path);
  const shown = () => page.locator(".whatif-row:visible").evaluateAll((list) => list.map((row) => row.dataset.row));
  const first = await shown();
  assert.equal(first.length, 8);
  assert.ok(first.includes("a_rather_long_name_57"));
  await page.locator("#whatif-search").fill("name_9");
  assert.deepEqual(await shown(), [9, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99].map((i) => `a_rather_long_name_${i}`));
  // A number can be typed; a double click puts it back.
  const row = page.locator('[data-row="a_rather_long_name_90"]');
  await row.locator(".value").fill("0.0104");
  await row.locator(".value").press("Enter");
  assert.ok(Math.abs(await page.evaluate(() => window.saltus.whatif.change[90]) - 0.0004) < 1e-12);
  await row.locator("input[type=range]").dblclick();
  assert.equal(await page.evaluate(() => window.saltus.whatif.change[90]), 0);
  assert.ok(await page.evaluate(() => document.body.scrollHeight) < 9000);
  assert.deepEqual(complaints, []);
  await close();
});

test("pictures and films are files", async () => {
  const {page, complaints, close} = await open(fiveBar.path);
  const save = async (menu, id) => {
    await page.locator(menu).locator("summary").click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.locator(`#${id}`).click()]);
    return {name: file.suggestedFilename(), bytes: readFileSync(await file.path())};
  };
  const png = await save("#stage-panel .menu", "save-png"), svg = await save("#stage-panel .menu", "save-svg");
  assert.equal(png.name, "five_bar.png");
  assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
  assert.match(svg.bytes.toString(), /^<svg xmlns.*>P2<.*<\/svg>$/s);
  await page.locator("#plot-positions").scrollIntoViewIfNeeded();
  const plot = await save('[data-plot="positions"] .menu', "svg-positions");
  assert.equal(plot.name, "five_bar-positions.svg");
  for (const text of ["Positions", "t [s]", "P2.y"]) assert.ok(plot.bytes.toString().includes(`>${text}<`), text);
  await page.evaluate(() => (window.saltus.clock.speed = 2));
  const film = await save("#stage-panel .menu", "save-film");
  assert.equal(film.name, "five_bar.webm");
  assert.equal(film.bytes.subarray(0, 4).toString("hex"), "1a45dfa3");
  const {seconds: length, moved, width} = await filmIn(film.bytes);
  assert.ok(length > 0.5 && length < 5, `a film of 2 s at twice the speed takes ${length} s`);
  assert.ok(moved > 300, `${moved} pixels of its first and its last picture differ`);
  assert.ok(width > 500, `${width}`);
  assert.deepEqual(complaints, []);
  await close();
});

test("events and costs lead to their lines in the script", async () => {
  const {page, close} = await open(fiveBar.path);
  await page.locator("#event-table a.line-link").first().click();
  assert.match(await page.locator(".line.here").innerText(), /event\("ground"/);
  await page.locator('#cost-table tr[data-cost="int_musq"] a.line-link').click();
  assert.match(await page.locator(".line.here").innerText(), /cost\("int_musq"/);
  await close();
});

describe("the report in a browser", {concurrency: 3}, () => together.forEach(([name, body]) => it(name, body)));
describe("alone", () => alone.forEach(([name, body]) => it(name, body)));
after(closeBrowser);
