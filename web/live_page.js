// The parts of a live page besides the live model: the original and its linear prediction on the stage, sections that follow
// the runs, and the licences of the engine.
import {el} from "./dom.js";
import {readLicences} from "./live_engine.js";
import {makeScene} from "./scene.js";

// Motions that are drawn beside the run: {name, scene, ink, shown(), show(on)}, as motion.js takes them.
export function besides(original, live, whatif) {
  const scene = makeScene(original);
  if (!scene.isDrawn) return [];
  const list = [
    {name: "Original", ink: "other", scene, on: true},
    {name: "Prediction", ink: "ghost", on: true, scene: {drawAs: (g, view, t, ink) => scene.drawPredicted(g, view, t, ink, whatif.linear())}},
  ];
  return list.map((other) => ({...other, shown: () => other.on && live.state.moved, show: (on) => (other.on = on)}));
}

// Builds sections again when a run is complete: [[element, make]]. Elements stay, so that links and keys find them.
export function rebuildAfterRuns(data, live, list) {
  let shown = data.motion;
  live.listen(({complete, searching}) => {
    if (!complete || searching || shown === data.motion) return;
    shown = data.motion;
    for (const [element, make] of list) element.replaceChildren(...make().childNodes);
  });
}

// Notes that a section does not follow: checks are those of the report.
export function noteOriginal(section, live) {
  const note = el("p", {class: "banner warn", hidden: true}, "These are the checks of the original parameters.");
  section.querySelector(".section-head").after(note);
  live.listen(({moved}) => (note.hidden = !moved));
}

export function makeLicences() {
  const text = el("pre", {class: "script"});
  return el("details", {class: "licences", ontoggle: async () => {
    if (!text.textContent) text.textContent = await readLicences();
  }}, el("summary", {}, "Licences of the engine in this page"), text);
}
