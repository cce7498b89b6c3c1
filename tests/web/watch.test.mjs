// `saltus report --watch` in Chromium: the page reloads itself with sliders, place and time kept, also after a mistake.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, it} from "node:test";
import {chromium} from "playwright-core";

const folder = mkdtempSync(join(tmpdir(), "saltus-watch-")), file = join(folder, "ball.lua");
copyFileSync(join(process.env.SALTUS_SOURCE, "models/bouncing_ball.lua"), file);
const script = readFileSync(file, "utf8");
const program = spawn(process.env.SALTUS, ["report", "ball.lua", "--watch"], {cwd: folder});
const address = await new Promise((found) => program.stdout.on("data", (text) => {
  const match = /http:\S+/.exec(text);
  if (match) found(match[0]);
}));
const browser = await chromium.launch({executablePath: process.env.SALTUS_BROWSER,
  args: ["--disable-gpu", "--disable-dev-shm-usage", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])]});
after(async () => {
  await browser.close();
  program.kill("SIGTERM");
  await new Promise((ended) => (program.exitCode === null ? program.on("exit", ended) : ended()));
  rmSync(folder, {recursive: true});
});

// The page's policy forbids what waitForFunction does; while it reloads, it does not answer.
async function until(page, condition) {
  for (let i = 0; i < 400; i++) {
    if (await page.evaluate(condition).catch(() => false)) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`never: ${condition}`);
}

it("follows what is saved, and keeps sliders, place and time", async () => {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}, reducedMotion: "reduce"});
  const complaints = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address);
  await until(page, () => Boolean(window.saltus?.stage));
  await page.evaluate(() => {
    window.saltus.clock.set(1.25);
    window.saltus.whatif.set(1, 0.004);
    scrollTo(0, 500);
    window.old = true;
  });
  const place = await page.evaluate(() => scrollY);
  assert.ok(place > 0);

  writeFileSync(file, script.replace(/"bouncing ball"/, '"another ball"'));
  await until(page, () => !window.old && document.title.startsWith("another ball") && Boolean(window.saltus) && scrollY > 0);
  assert.equal(await page.evaluate(() => window.saltus.clock.t), 1.25);
  assert.ok(Math.abs(await page.evaluate(() => window.saltus.whatif.change[1]) - 0.004) < 1e-6);
  assert.equal(await page.evaluate(() => scrollY), place);

  writeFileSync(file, `${script}\nhorizn(0, 1)\n`);
  await until(page, () => document.getElementById("watch-note")?.textContent.includes("'horizn' is not defined"));
  assert.equal(await page.evaluate(() => window.saltus.clock.t), 1.25, "the page stays");

  writeFileSync(file, script);
  await until(page, () => document.title.startsWith("bouncing ball") && Boolean(window.saltus) &&
    !document.getElementById("watch-note"));
  assert.equal(await page.evaluate(() => window.saltus.clock.t), 1.25);
  assert.deepEqual(complaints, []);
});
