// The modules of the page without a browser: steps, predictions, names, formats.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import test from "node:test";
import {columnsOf, dataOf, model, page, report, run, source} from "./common.mjs";

const load = (name) => import(pathToFileURL(join(page, `${name}.js`)));
const {readData} = await load("data");
const {predict} = await load("predict");
const {compileSteps} = await load("tape");
const {activeModes, isActive, placeAt, valueAt} = await load("series");
const {formatNumber, niceStep} = await load("format");
const {directionOf} = await load("sketch");
const {listContacts, marksOf, modesText, readerOf, staysOf} = await load("contacts");

test("the page computes every operation of the library", () => {
  const rows = readFileSync(join(source, "src/expr/ops.def"), "utf8");
  const operations = [...rows.matchAll(/^OP\(([A-Z0-9_]+), (\d),/gm)];
  assert.ok(operations.length > 20);
  const reference = {NEG: -0.3, ADD: 1, SUB: -0.4, MUL: 0.21, DIV: 0.3 / 0.7, POW: 0.3 ** 0.7, ATAN2: Math.atan2(0.3, 0.7), MIN: 0.3, HYPOT: Math.hypot(0.3, 0.7), SIGN: 1, ERF: 0.3286267594591274};
  for (const [, name, count] of operations) {
    const [value] = compileSteps([0.3, 0.7, [name, 0, ...(count === "2" ? [1] : [])]])({}).slice(-1);
    assert.ok(Number.isFinite(value), name);
    const expected = reference[name] ?? Math[name.toLowerCase()]?.(0.3, 0.7);
    assert.ok(Math.abs(value - expected) < 1e-15, `${name}: ${value}, expected ${expected}`);
  }
});

test("the page draws every shape of the library", () => {
  const shapes = [...readFileSync(join(source, "include/saltus/draw.h"), "utf8").matchAll(/^ +SALTUS_SHAPE_([A-Z]+),/gm)].map(([, name]) => name.toLowerCase());
  assert.ok(shapes.length > 20, `${shapes}`);
  const order = readFileSync(join(page, "scene.js"), "utf8").match(/const order = \[([^\]]*)\]/)[1];
  for (const name of shapes) // bodies are drawn with their arms
    assert.ok(order.includes(name === "body" || name === "arm" ? '"bodies"' : `"${name}"`), name);
});

test("steps read the state", () => {
  const compute = compileSteps([["t", 0], ["q", 1], ["v", 0], ["c", 0], ["p", 2], ["ADD", 0, 1]]);
  assert.deepEqual([...compute({t: 1, q: [0, 2], v: [3], c: [4], p: [0, 0, 5]})], [1, 2, 3, 4, 5, 3]);
});

test("rows between events are interpolated, at an event the one after counts", () => {
  const times = [0, 1, 1, 2], column = [0, 1, 5, 7];
  assert.equal(valueAt(column, placeAt(times, 0.5)), 0.5);
  assert.equal(valueAt(column, placeAt(times, 1)), 5);
  assert.equal(valueAt(column, placeAt(times, 1.5)), 6);
  assert.equal(valueAt(column, placeAt(times, 9)), 7);
  assert.equal(valueAt(column, placeAt(times, -9)), 0);
});

test("modes are found in their joined names, whatever these contain", () => {
  const modes = [{name: "a", group: ""}, {name: "a + b", group: ""}, {name: "c", group: "g"}, {name: "d", group: "g"}];
  assert.deepEqual(activeModes("a + b + d", modes), [1, 3]);
  assert.deepEqual(activeModes("a + c", modes), [0, 2]);
  assert.ok(isActive([1, 3], [1, 3], modes));
  assert.ok(!isActive([0, 3], [1, 3], modes));
  assert.ok(isActive([0, 1], [1, 3], modes));
  assert.ok(isActive(undefined, [], modes));
});

// Two contacts, one that only bounces, and a group of the user; at t = 1 the first lands, which opens the second.
function withContacts() {
  const modes = ["a.open", "a.stick", "a.slide+", "a.slide-"].map((name) => ({name, group: "a"}));
  modes.push(...["b.open", "b.closed"].map((name) => ({name, group: "b"})), {name: "on", group: ""}, {name: "off", group: ""});
  modes.push(...["c.open", "c.closed"].map((name) => ({name, group: "c"})));
  const contacts = [{name: "a", closes: true}, {name: "b", closes: true}, {name: "c", closes: false}];
  return {start: 0, end: 3, model: {contacts, modes, constraints: [{name: "b"}, {name: "a"}, {name: "a.friction"}]},
    motion: {t: [0, 1, 1, 2, 2, 3], modes: [[0, "a.open + b.closed + on + c.open"], [2, "a.stick + b.open + on + c.open"], [4, "a.stick + b.open + off + c.open"]],
      values: {multiplier: [[-2, -2, 0, 0, 0, 0], [0, 0, -5, -7, -7, -9], [0, 0, 3, 3, 1, 1]]}},
    events: [{name: "a", time: 1, from: "a.open + b.closed + on + c.open", to: "a.stick + b.open + on + c.open", impulses: {a: -4, "a.friction": 0.5, b: 0}, impulse: null},
      {name: "b.leave", time: 1, from: "a.stick + b.open + on + c.open", to: "a.stick + b.open + on + c.open"},
      {name: "switch", time: 2, from: "a.stick + b.open + on + c.open", to: "a.stick + b.open + off + c.open"}]};
}

test("a contact is open, sticks and slides for spans of time, whatever else changes", () => {
  const data = withContacts(), [a, b, ...others] = listContacts(data);
  assert.deepEqual([a.name, b.name, others.length], ["a", "b", 0]);
  assert.deepEqual(staysOf(data, a), [{from: 0, to: 1, kind: "open"}, {from: 1, to: 3, kind: "stick"}]);
  assert.deepEqual(staysOf(data, b), [{from: 0, to: 1, kind: "closed"}, {from: 1, to: 3, kind: "open"}]);
  data.events.push({name: "a.rest", time: 2.5});
  assert.deepEqual(marksOf(data, "a"), [{t: 1, kind: "touch"}, {t: 2.5, kind: "rest"}]);
});

test("an event names the modes that it changes, each contact under its own event", () => {
  const data = withContacts();
  assert.deepEqual(data.events.map((_, i) => modesText(data, i)), ["a.open \u2192 a.stick", "b.closed \u2192 b.open", "on \u2192 off"]);
  data.events.splice(1, 1); // b has no event of its own
  assert.equal(modesText(data, 0), "a.open \u2192 a.stick, b.closed \u2192 b.open");
  data.events[0].from = null;
  assert.equal(modesText(data, 0), "");
});

test("reactions push where multipliers are negative", () => {
  const data = withContacts(), a = readerOf(data, "a"), bounce = readerOf(data, "c");
  assert.deepEqual(a.force({row: 2, part: 0.5}), [6, -3]);
  assert.deepEqual(a.impulse(data.events[0]), [4, -0.5]);
  assert.deepEqual(bounce.impulse({name: "c", impulse: 2.5}), [2.5, 0]);
  assert.deepEqual(bounce.impulse(data.events[0]), [0, 0]);
});

// Contrast as WCAG defines it: 3 is the least for what one must see to understand a picture.
test("what the stage draws stands out from it, in light and in dark", () => {
  const style = readFileSync(join(source, "web", "style.css"), "utf8"), [light, dark] = style.split('[data-theme="dark"]').map((text) =>
    Object.fromEntries([...text.matchAll(/--([\w-]+): #([0-9a-f]{6})/g)].map(([, name, hex]) => [name, hex])));
  const luminance = (hex) => hex.match(/../g).map((h) => parseInt(h, 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
  for (const [name, theme] of Object.entries({light, dark}))
    for (const ink of ["bar", "ink", "muted", "spring", "trace", "trace-faint", "ghost", "other", "velocity", "reaction", "impulse", "event", "stick"])
      assert.ok(contrast(theme[ink], theme.stage) >= 3, `${ink}, ${name}: ${contrast(theme[ink], theme.stage)}`);
});

test("coordinates are drawn in the direction of their names, where they have one", () => {
  for (const [name, axis] of [["y", "y"], ["P.x", "x"], ["ball_z", "z"], ["x2", "x"], ["X", "x"], ["phi", undefined], ["box", undefined], ["dx", undefined], ["x_1", "x"]])
    assert.equal(directionOf(name)?.axis, axis, name);
  const at = (name) => directionOf(name).stem;
  assert.equal(at("x1"), at("y1"));
  assert.notEqual(at("x1"), at("x2"));
  assert.equal(at("P.x"), at("P.y"));
});

test("numbers are short and keep their value", () => {
  for (const [value, text] of [[0, "0"], [1.5, "1.5"], [-2, "\u22122"], [1e-7, "1e\u22127"], [123456.7, "123457"],
    [100, "100"], [1e6, "1e6"], [0.1 + 0.2, "0.3"], [NaN, "\u2013"], [Infinity, "\u221e"]])
    assert.equal(formatNumber(value), text);
  assert.equal(niceStep(1, 10), 0.1);
  assert.equal(niceStep(23, 5), 5);
});

// The error of a linear prediction falls with the square of the change, through events too: there the
// predicted motion is compared on its own side of the event.
test("predictions meet the motion they predict", async () => {
  const cases = [["bouncing_ball", {g: 0.02, e: -0.004}, ["y"]], ["five_bar", {k1: 0.3, L02: 0.0004}, ["P2.x", "P2.y", "P3.x"]],
    ["compass_feet", {mH: 0.02, w1: 0.001}, ["x", "th1", "th2"]]];
  for (const [name, change, coordinates] of cases) {
    const {path} = await report(`predicted-${name}`, model(name), "--every", "0.0005");
    const data = readData(JSON.parse(dataOf(path)));
    const worst = await Promise.all([1, 0.5].map(async (part) => {
      const given = data.wrt.map((p) => part * (change[p.name] || 0));
      const sets = data.wrt.flatMap((p, k) => (given[k] ? ["--set", `${p.name}=${p.value + given[k]}`] : []));
      const {out} = await run("run", model(name), ...sets, "-o", "-", "--every", "0.0101", "--quiet", "--tol", "1e-11");
      const motion = columnsOf(out);
      const prediction = predict(data, given);
      assert.ok(prediction.active);
      assert.equal(prediction.broken, Infinity);
      let off = 0;
      coordinates.forEach((coordinate) => {
        const index = data.model.coordinates.findIndex((c) => c.name === coordinate);
        motion.t.forEach((t, i) => {
          if (motion.t[i - 1] === t || motion.t[i + 1] === t) return; // sides of an event
          off = Math.max(off, Math.abs(prediction.value("position", index, t) - motion[coordinate][i]));
        });
      });
      return off;
    }));
    assert.ok(worst[0] < 2e-3, `${name}: off by ${worst[0]}`);
    assert.ok(worst[1] < 0.35 * worst[0] || worst[1] < 2e-6, `${name}: ${worst}`);
  }
});

test("a prediction that changes the order of events is broken from there on", async () => {
  const {path} = await report("broken", model("bouncing_ball"));
  const data = readData(JSON.parse(dataOf(path)));
  const k = data.wrt.findIndex((p) => p.name === "e");
  const by = (d) => predict(data, data.wrt.map((_, i) => (i === k ? d : 0)));
  assert.equal(by(0.05).broken, Infinity);
  // With e = 0.3 the third impact would come before the second.
  const [, second, third] = data.events.map((e) => e.time - 0.5 * e.time_gradient.e);
  assert.ok(third < second);
  assert.ok(Math.abs(by(-0.5).broken - third) < 1e-9);
  // With e = 1.1 it would come after the end: until there all is well.
  assert.ok(Math.abs(by(0.3).broken - data.end) < 1e-9);
});
