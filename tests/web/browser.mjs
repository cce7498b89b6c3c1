// A browser whose every call has a limit: one that does not answer fails its test, which says in what.
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";
import {chromium} from "playwright-core";
import {pictures} from "./common.mjs";

const SECONDS = 40;
const ownTypes = new Set(["BrowserContext", "Page", "Locator", "Keyboard", "Mouse", "Download"]);

function within(promise, step) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the browser has not answered for ${SECONDS} s: ${step}`)), 1000 * SECONDS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const brief = (value) => String(typeof value === "object" ? JSON.stringify(value) : value).replace(/\s+/g, " ").slice(0, 80);

// An object of playwright; what its calls return is limited, too.
function limited(object, name) {
  const wrap = (value, step) => (ownTypes.has(value?.constructor?.name) ? limited(value, step) : value);
  return new Proxy(object, {get(_, key) {
    if (key === "whole") return object; // for calls that take an object of playwright
    const value = object[key];
    if (typeof value !== "function") return wrap(value, `${name}.${String(key)}`);
    return (...given) => {
      const step = `${name}.${key}(${given.map(brief).join(", ")})`;
      const result = value.apply(object, given);
      return typeof result?.then === "function" ? within(result, step).then((r) => wrap(r, step)) : wrap(result, step);
    };
  }});
}

// Ending this process ends the browser: playwright kills the browser's process group when we exit.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => process.exit(1));

const browser = await within(chromium.launch({executablePath: process.env.SALTUS_BROWSER,
  handleSIGTERM: false, handleSIGINT: false, handleSIGHUP: false,
  args: ["--disable-gpu", "--disable-dev-shm-usage", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])]}),
`starting ${process.env.SALTUS_BROWSER}`);

export async function closeBrowser() {
  try {
    await within(browser.close(), "closing the browser");
  } catch (error) {
    setTimeout(() => process.exit(1), 500); // or its pipe keeps us here
    throw error;
  }
}

// Opens a page that must say nothing on the console and ask the network for nothing; it is there once it has `until`.
export async function open(path, {hash = "", until = "footer", ...options} = {}) {
  const context = await limited(browser, "browser").newContext({viewport: {width: 1280, height: 900}, acceptDownloads: true, reducedMotion: "reduce", ...options});
  const page = limited(await context.newPage(), "page");
  const complaints = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${path}${hash}`);
  await page.waitForSelector(until);
  return {page, complaints, close: () => context.close()};
}

export const seconds = (page) => page.evaluate(() => window.saltus.clock.t);

// Two frames later, all that follows from a change is drawn.
export const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// How many colours the middle of a canvas has: an empty one has one.
export const coloursOf = (page, selector) => page.evaluate((s) => {
  const canvas = document.querySelector(s);
  if (!canvas?.width) return 0;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
  copy.drawImage(canvas, 0, 0);
  const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 24) | (data[i + 1] << 16) | (data[i + 2] << 8) | data[i + 3]);
  return seen.size;
}, selector);

export async function showAllPlots(page) {
  await page.locator('[data-toggle][aria-pressed="false"]').evaluateAll((list) => list.forEach((b) => b.click()));
  await scrollThrough(page);
}

export async function scrollThrough(page) {
  const height = await page.evaluate(() => document.body.scrollHeight);
  for (let y = 0; y < height; y += 700) {
    await page.evaluate((to) => scrollTo({top: to, behavior: "instant"}), y);
    await settled(page);
  }
  await page.evaluate(() => scrollTo({top: 0, behavior: "instant"}));
}

export const picture = (page, name, fullPage = true) => page.screenshot({path: join(pictures, `${name}.png`), fullPage});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// What axe-core finds to mend in a part of the page: a text for each kind, with the first places.
export async function axeOn(page, part = "html") {
  await page.evaluate(axe);
  const {violations} = await page.evaluate((s) => window.axe.run(document.querySelector(s), {resultTypes: ["violations"], iframes: false}), part);
  return violations.map(({id, nodes}) => `${id}: ${nodes.map((n) => n.target).slice(0, 3).join("; ")}`);
}

// Plays a film, without the page that made it: {seconds, width, moved}. moved: pixels of its first and its last picture that
// clearly differ; compression changes all of them a little.
export async function filmIn(bytes) {
  const page = await limited(browser, "browser").newPage();
  const seen = await page.evaluate(async (text) => {
    const video = document.createElement("video"), canvas = document.createElement("canvas");
    const at = (t) => new Promise((done, fail) => {
      video.onseeked = () => {
        canvas.width = video.videoWidth, canvas.height = video.videoHeight;
        canvas.getContext("2d").drawImage(video, 0, 0);
        done(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data);
      };
      video.onerror = () => fail(new Error(video.error.message));
      video.currentTime = t;
    });
    video.muted = true;
    video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], {type: "video/webm"}));
    await new Promise((done, fail) => {
      video.onloadeddata = done;
      video.onerror = () => fail(new Error(video.error.message));
    });
    // A film that was recorded does not say how long it is, until one goes to its end.
    const last = await at(1e6), seconds = video.currentTime, first = await at(0);
    let moved = 0;
    for (let i = 0; i < first.length; i += 4) moved += Math.abs(first[i] - last[i]) > 60;
    return {seconds, width: video.videoWidth, moved};
  }, bytes.toString("base64"));
  await page.close();
  return seen;
}
