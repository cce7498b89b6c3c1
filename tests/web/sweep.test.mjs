// The page of a sweep, in Chromium: what it draws and says is what the program found.
import assert from "node:assert/strict";
import {readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {after, test} from "node:test";
import {closeBrowser, coloursOf, open, picture, settled} from "./browser.mjs";
import {folder, run} from "./common.mjs";

after(closeBrowser);

writeFileSync(join(folder, "throw.lua"), `model "a <b>throw</b>"
local v, angle, e = param("v", 6, {unit = "m/s"}), param("angle", 60), param("e", 0.7)
local x = coordinate("x", {speed = v * cos(angle * 0.0174532925)})
local y = coordinate("y", {start = 0.1, speed = v * sin(angle * 0.0174532925)})
mass(x, 1) mass(y, 1) force(y, -9.81)
event("floor", {when = y, direction = "falling", restitution = e})
event("wall", {when = x - 3, direction = "rising", set = {[dot(x)] = -0.5 * dot(x)}})
cost("distance", {final = x, unit = "m"})
cost("height", {max = y, unit = "m"})
horizon(0, 2)
`);
async function sweep(name, ...words) {
  const path = join(folder, `${name}.html`);
  const done = await run("sweep", "throw.lua", ...words, "--report", path, "--json");
  assert.equal(done.status, 0, done.err);
  return {path, found: JSON.parse(done.out)};
}

test("a grid: a map with borders, distributions, sequences, failures", async () => {
  const {path, found} = await sweep("grid", "--over", "v=3:8:30", "--over", "angle=30:80:26", "--gradients");
  assert.ok(found.failed > 0 && found.sequences.length > 8, "the example has failures and many sequences");
  const {page, complaints, close} = await open(path);
  await settled(page);
  assert.equal(await page.title(), "a <b>throw</b> - Saltus sweep");
  assert.equal(await page.locator("h1").innerText(), "a <b>throw</b>");
  assert.match(await page.locator(".verdict").innerText(), new RegExp(`${found.failed} of 780 points failed`));
  assert.match(await page.locator(".facts-row").innerText(), /a grid of 30 × 26/);
  for (const id of ["map", "distributions", "scatter", "sequences", "statistics", "points"])
    assert.equal(await page.locator(`section#${id}`).count(), 1, id);
  for (const place of ["#map canvas", "#scatter canvas"]) assert.ok(await coloursOf(page, place) > 20, place);
  assert.equal(await page.locator(".histogram").count(), 2);
  // Tables have the program's numbers.
  const cell = (name, column) => page.locator(`#statistics-table tr:has(th:text-is("${name}")) td`).nth(column).getAttribute("data-value");
  assert.equal(Number(await cell("distance", 0)), found.statistics.distance.mean);
  assert.equal(Number(await cell("height", 6)), found.statistics.height.max);
  const row = page.locator("#sequence-table tbody tr").first();
  assert.ok((await row.innerText()).includes(found.sequences[0].sequence));
  assert.equal(Number(await row.locator("td").first().getAttribute("data-value")), found.sequences[0].points);
  assert.ok(await page.locator("#boundary-table tbody tr").count() > 5);
  assert.match(await page.locator("#failed-table tbody").innerText(), /Zeno/);
  // A point that is chosen has a command; a sequence that is hidden is gone from the drawings.
  await page.locator("#sequence-table .link").first().click();
  assert.match(await page.locator("#point-command").innerText(), /^saltus run throw.lua --set v=[\d.]+ --set angle=[\d.]+$/);
  const before = await coloursOf(page, "#map canvas");
  await page.locator('#map .key[data-group="0"]').click();
  await settled(page);
  assert.notEqual(await coloursOf(page, "#map canvas"), before);
  assert.equal(await page.locator('#scatter .key[data-group="0"]').getAttribute("aria-pressed"), "false");
  await page.locator('#map .key[data-group="0"]').click();
  await picture(page, "sweep");
  await page.locator("nav button").click();
  await picture(page, "sweep-dark");
  assert.deepEqual(complaints, []);
  await close();
});

test("one parameter, and a sample of three, on a telephone", async () => {
  const line = await sweep("line", "--over", "v=3:8:50");
  const sample = await sweep("sample", "--over", "v~normal(6,0.5)", "--over", "e~uniform(0.5,0.9)",
    "--over", "angle~normal(60,5)", "--sample", "sobol:128");
  for (const {path} of [line, sample]) {
    const {page, complaints, close} = await open(path, {viewport: {width: 390, height: 800}});
    await settled(page);
    assert.ok(await coloursOf(page, "#map canvas") > 10, path);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} is too wide`);
    assert.deepEqual(complaints, []);
    await close();
  }
});

test("the same sweep is the same page, and other files are left alone", async () => {
  const {path} = await sweep("again", "--over", "v=4:5:5");
  const first = readFileSync(path, "utf8");
  await sweep("again", "--over", "v=4:5:5", "--threads", "1");
  assert.equal(readFileSync(path, "utf8"), first);
  writeFileSync(join(folder, "mine.html"), "<p>mine</p>");
  const refused = await run("sweep", "throw.lua", "--over", "v=4:5:5", "--report", "mine.html");
  assert.equal(refused.status, 1);
  assert.match(refused.err, /'mine.html' is not a report of saltus/);
});
