// The playground: a model in an editor, its report beside it.
import assert from "node:assert/strict";
import {existsSync} from "node:fs";
import {after, test} from "node:test";
import {axeOn, closeBrowser, open, picture} from "./browser.mjs";
import {json, model, playground} from "./common.mjs";

after(closeBrowser);

const there = existsSync(playground);
assert.ok(there || !process.env.CI, `there is no ${playground} (make live)`);
const options = {skip: !there && "no playground"};

const start = (hash = "", size = {viewport: {width: 1440, height: 900}}) => open(playground, {hash, until: ".cm-content", ...size});
// Until the newest text has run: its status is no longer "working", and one report is there.
async function ran(page, state = "good") {
  await page.waitForFunction((wanted) => document.querySelector(".status")?.dataset.state === wanted && document.querySelectorAll("iframe").length < 2 &&
    !document.querySelector("iframe.coming"), state, {timeout: 30000});
}
const shown = (page) => page.evaluate(() => Object.fromEntries(document.querySelector("iframe").contentWindow.saltus.data.costs.map(({name, value}) => [name, value])));
const write = (page, script) => page.evaluate((text) => window.playground.editor.write(text), script);
const read = (page) => page.evaluate(() => window.playground.editor.read());

async function assertCosts(page, ...words) {
  const {costs} = await json("run", ...words), here = await shown(page);
  assert.deepEqual(Object.keys(here).sort(), Object.keys(costs).sort());
  for (const [cost, {value}] of Object.entries(costs))
    assert.ok(Math.abs(here[cost] - value) <= 1e-9 * Math.max(1e-6, Math.abs(value)), `${cost}: ${here[cost]}, expected ${value}`);
}

test("a model is chosen, changed, and has the numbers of the program", options, async () => {
  const {page, complaints, close} = await start();
  await ran(page);
  await assertCosts(page, model("bouncing_ball"));
  await page.locator("#model").selectOption("hopper");
  await page.waitForFunction(() => location.hash === "#model=hopper");
  await ran(page);
  await assertCosts(page, model("hopper"));
  await picture(page, "playground", false);
  // The frame is a whole report: its links stay in it, and its sliders simulate.
  const frame = page.frameLocator("iframe");
  await frame.locator('.links a[href="#events"]').click();
  await page.waitForFunction(() => document.querySelector("iframe").contentWindow.scrollY > 100);
  await frame.locator(".whatif-row input[data-param]").first().fill("700");
  await page.waitForFunction(() => {
    const {state} = document.querySelector("iframe").contentWindow.saltus.live;
    return state.moved && !state.busy && state.complete;
  }, null, {timeout: 30000});
  const command = await frame.locator("#whatif-command").innerText();
  await assertCosts(page, model("hopper"), ...command.match(/--set \S+/g).flatMap((word) => word.split(" ")));
  assert.deepEqual(complaints, []);
  await close();
});

test("a mistake is shown at its line, and goes when it is mended", options, async () => {
  const {page, complaints, close} = await start("#model=bouncing_ball");
  await ran(page);
  const script = await read(page), lines = script.split("\n"), at = lines.findIndex((line) => /^cost\(/.test(line));
  assert.ok(at > 0);
  const wrong = lines.with(at, lines[at].replace("cost(", "cosst("));
  await write(page, wrong.join("\n"));
  await ran(page, "bad");
  const message = await page.locator(".message").innerText();
  assert.ok(message.startsWith(`Line ${at + 1}: `), message);
  assert.match(message, /cosst/);
  await page.locator(".message button").click();
  assert.equal(await page.locator(".cm-activeLine").innerText(), wrong[at]);
  assert.match(await page.locator(".cm-lintRange-error").first().innerText(), /cosst/);
  await picture(page, "playground-mistake", false);
  // Typed, as a reader would: the letter too many is taken out.
  await page.keyboard.press("Home");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Delete");
  await ran(page);
  assert.equal(await read(page), script);
  assert.ok(await page.locator(".message").isHidden());
  assert.equal(await page.locator(".cm-lintRange-error").count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("the address has the script, and who opens it sees the same", options, async () => {
  const first = await start("#model=bouncing_ball");
  await ran(first.page);
  const script = `${(await read(first.page)).replace(/\n+$/, "")}\ncost("twice", {final = 2 * y}) -- größer\n`;
  await write(first.page, script);
  await first.page.waitForFunction(() => location.hash.includes("&code="));
  await ran(first.page);
  const costs = await shown(first.page), hash = await first.page.evaluate(() => location.hash);
  assert.ok("twice" in costs);
  assert.deepEqual(first.complaints, []);
  await first.close();

  const second = await start(hash);
  await ran(second.page);
  assert.equal(await read(second.page), script);
  assert.deepEqual(await shown(second.page), costs);
  await second.page.evaluate((broken) => (location.hash = broken), hash.slice(0, -30));
  await ran(second.page, "bad");
  assert.match(await read(second.page), /address is incomplete/);
  assert.deepEqual(second.complaints, []);
  await second.close();
});

test("on a phone a mistake is seen at its line, and what was right before stays in sight", options, async () => {
  const {page, complaints, close} = await start("#model=hopper", {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});
  await ran(page);
  assert.deepEqual(await axeOn(page), []);
  const lines = (await read(page)).split("\n"), at = lines.findIndex((line) => /^spring/.test(line));
  await write(page, lines.with(at, lines[at].replace("spring", "sprng")).join("\n"));
  await ran(page, "bad");
  assert.match(await page.locator(".message").innerText(), new RegExp(`^Line ${at + 1}: .*sprng`));
  await page.locator(".message button").tap();
  const inside = async (selector) => {
    const box = await page.locator(selector).first().boundingBox();
    return box && box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 844;
  };
  for (const selector of ["#model", "#share", ".status", ".message", ".cm-activeLine .cm-lintRange-error"]) assert.ok(await inside(selector), selector);
  assert.ok((await page.locator("iframe").boundingBox()).height > 250, "the report is still there");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await picture(page, "playground-phone", false);
  assert.deepEqual(await axeOn(page), []);
  assert.deepEqual(complaints, []);
  await close();
});

test("a script reads files that the reader adds", options, async () => {
  const {page, complaints, close} = await start("#model=fit_bounce");
  await ran(page);
  await write(page, (await read(page)).replace('setting("file", "")', 'setting("file", "drop")'));
  await ran(page, "bad");
  assert.match(await page.locator(".message").innerText(), /cannot read '.*drop\.csv'.*Files, above, adds/s);
  await page.locator("#choose-files").setInputFiles({name: "drop.csv", mimeType: "text/csv", buffer: Buffer.from("t,height,hit\n0.1,0.9,0.45\n0.2,0.8,\n")});
  await ran(page);
  assert.equal(await page.locator("#files").innerText(), "Files: 1");
  assert.match(await page.evaluate(() => location.hash), /code=/);
  assert.deepEqual(complaints, []);
  await close();
});
