// A live page in Firefox, driven by Marionette: lines of JSON with their length in front, over a socket of this machine.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {connect} from "node:net";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {setTimeout as pause} from "node:timers/promises";
import {test} from "node:test";
import {folder, json, model, pictures, playground, run} from "./common.mjs";

const find = () => {
  try {
    return execFileSync("sh", ["-c", "command -v firefox-esr || command -v firefox"], {encoding: "utf8"}).trim();
  } catch {
    return null;
  }
};

// Starts Firefox with a profile of its own; {ask(command, details), end()}.
async function start(program) {
  const profile = mkdtempSync(join(tmpdir(), "saltus-firefox-"));
  writeFileSync(join(profile, "user.js"), 'user_pref("marionette.port", 0);\n');
  const child = spawn(program, ["--headless", "--marionette", "--no-remote", "--profile", profile],
    {stdio: "ignore", env: {...process.env, HOME: profile}});
  const end = () => {
    child.kill("SIGKILL");
    rmSync(profile, {recursive: true, force: true, maxRetries: 5});
  };
  const chosen = join(profile, "MarionetteActivePort");
  for (let i = 0; i < 600 && !existsSync(chosen); i++) await pause(100);
  await pause(200); // it is written before it is complete
  const socket = connect(Number(readFileSync(chosen, "utf8")), "127.0.0.1");
  let text = Buffer.alloc(0), count = 0;
  const waiting = new Map();
  socket.on("error", () => {});
  socket.on("data", (piece) => {
    text = Buffer.concat([text, piece]);
    for (let at = text.indexOf(":"); at > 0; at = text.indexOf(":")) {
      const size = Number(text.subarray(0, at));
      if (text.length < at + 1 + size) return;
      const message = JSON.parse(text.subarray(at + 1, at + 1 + size));
      text = text.subarray(at + 1 + size);
      if (Array.isArray(message)) waiting.get(message[1])?.(message);
    }
  });
  const ask = (command, details = {}) => new Promise((done, fail) => {
    const id = ++count, line = JSON.stringify([0, id, command, details]);
    waiting.set(id, ([, , error, answer]) => (error ? fail(new Error(`${command}: ${error.message}`)) : done(answer)));
    socket.write(`${Buffer.byteLength(line)}:${line}`);
  });
  return {ask, end: () => (socket.destroy(), end())};
}

// The costs of a model in the playground, as [[name, value]].
async function inPlayground(firefox, path, name) {
  await firefox.ask("WebDriver:Navigate", {url: `file://${path}#model=${name}`});
  const {value} = await firefox.ask("WebDriver:ExecuteAsyncScript", {args: [], script: `
    const done = arguments[arguments.length - 1], page = window.wrappedJSObject ?? window;
    const wait = () => {
      const state = document.querySelector(".status")?.dataset.state, frame = page.document.querySelector("iframe:not(.coming)");
      if (state === "bad") return done({error: document.querySelector(".message").innerText});
      if (state !== "good" || !frame) return setTimeout(wait, 50);
      done({costs: JSON.stringify(frame.contentWindow.saltus.data.costs.map(({name, value}) => [name, value]))});
    };
    wait();`});
  assert.equal(value.error, undefined);
  return JSON.parse(value.costs);
}

test("a live page and the playground work in Firefox", {timeout: 120000}, async (t) => {
  const program = find();
  assert.ok(program || !process.env.CI, "there is no Firefox (make test installs it)");
  if (!program) return t.skip("there is no Firefox");
  const path = join(folder, "firefox-hopper.html");
  const made = await run("report", model("hopper"), "-o", path, "--quiet", "--force");
  assert.equal(made.status, 0, made.err);
  if (!readFileSync(path, "utf8").includes('id="live-engine"')) return t.skip("no engine");
  const firefox = await start(program);
  try {
    await firefox.ask("WebDriver:NewSession", {});
    await firefox.ask("WebDriver:Navigate", {url: `file://${path}`});
    const {value} = await firefox.ask("WebDriver:ExecuteAsyncScript", {args: [], script: `
      const done = arguments[arguments.length - 1];
      const slider = document.querySelector(".whatif-row input[data-param]");
      slider.value = "700";
      slider.dispatchEvent(new Event("input", {bubbles: true}));
      const wait = () => {
        const {data, live: {state}} = window.wrappedJSObject?.saltus ?? window.saltus;
        if (!(state.moved && !state.busy && state.complete)) return setTimeout(wait, 50);
        done({costs: JSON.stringify(data.costs.map(({name, value}) => [name, value])), command: document.querySelector("#whatif-command").innerText,
          error: state.error?.message ?? null});
      };
      setTimeout(wait, 50);`});
    assert.equal(value.error, null);
    const {costs} = await json("run", model("hopper"), ...value.command.match(/--set \S+/g).flatMap((word) => word.split(" ")));
    const shown = Object.fromEntries(JSON.parse(value.costs));
    for (const [cost, {value: expected}] of Object.entries(costs))
      assert.ok(Math.abs(shown[cost] - expected) <= 1e-9 * Math.max(1e-6, Math.abs(expected)), `${cost}: ${shown[cost]}, expected ${expected}`);
    const {value: picture} = await firefox.ask("WebDriver:TakeScreenshot", {full: false});
    writeFileSync(join(pictures, "hopper-firefox.png"), Buffer.from(picture, "base64"));
    const original = await json("run", model("hopper"));
    for (const [cost, here] of await inPlayground(firefox, playground, "hopper"))
      assert.ok(Math.abs(here - original.costs[cost].value) <= 1e-9 * Math.max(1e-6, Math.abs(here)), `playground, ${cost}: ${here}`);
    const {value: second} = await firefox.ask("WebDriver:TakeScreenshot", {full: false});
    writeFileSync(join(pictures, "playground-firefox.png"), Buffer.from(second, "base64"));
  } finally {
    firefox.end();
  }
});
