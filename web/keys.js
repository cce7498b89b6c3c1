// Keys for the whole page, and the sheet that lists them.
import {el} from "./dom.js";
import {toggleTheme} from "./theme.js";

// Where a key already means something else.
const types = (target) => target.closest("input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]");
const takesSpace = (target) => target.closest("button, a, summary, input, [role=region]");
const takesArrows = (target) => target.closest("input[type=range], [role=region], .dygraph-canvas");

export function makeKeys(clock, stage, sections) {
  const goTo = (i) => sections[i]?.scrollIntoView();
  const keys = [
    [["Space"], "play or pause", [" "], () => clock.toggle(), takesSpace],
    [["\u2190", "\u2192"], "step back, step on", ["ArrowLeft", "ArrowRight"], (key) => stage?.steps.step(key === "ArrowLeft" ? -1 : 1), takesArrows],
    [["n", "p"], "next event, previous event", ["n", "p"], (key) => (key === "n" ? stage?.steps.nextEvent() : stage?.steps.previousEvent())],
    [["+", "\u2212", "0"], "zoom in, out, show all", ["+", "=", "-", "0"], (key) => (key === "0" ? stage?.camera.reset() : stage?.camera.zoomBy(key === "-" ? 1 / 1.4 : 1.4))],
    [["f"], "follow what moves", ["f"], () => stage?.camera.setFollow(!stage.camera.follow)],
    [[`1\u2013${sections.length}`], "go to a section", sections.map((_, i) => String(i + 1)), (key) => goTo(Number(key) - 1)],
    [["t"], "light or dark", ["t"], toggleTheme],
    [["?"], "this list", ["?"], () => (sheet.open ? sheet.close() : sheet.showModal())],
  ];
  const sheet = el("dialog", {id: "keys", "aria-labelledby": "keys-title"},
    el("h2", {id: "keys-title"}, "Keys"),
    el("dl", {class: "keys"}, keys.map(([shown, text]) => el("div", {}, el("dt", {}, shown.map((k) => el("kbd", {}, k))), el("dd", {}, text)))),
    el("h3", {}, "With the mouse or a finger"),
    el("ul", {}, ["Click the stage to play, drag it to move it, Ctrl and the wheel or two fingers to zoom.",
      "Drag over a plot to zoom into a time, with Shift to move, double-click for all of it.",
      "Click a name below a plot to switch its curve off, double-click to see it alone.",
      "Double-click a slider to put it back; its number can be typed."].map((text) => el("li", {}, text))),
    el("form", {method: "dialog"}, el("button", {class: "plain"}, "Close")));
  sheet.addEventListener("click", (event) => event.target === sheet && sheet.close());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || types(event.target) || (sheet.open && event.key !== "?")) return;
    const row = keys.find(([, , list]) => list.includes(event.key));
    if (!row || row[4]?.(event.target)) return;
    event.preventDefault();
    row[3](event.key);
  });
  return sheet;
}
