// The page, put together from its data.
//
// data.js      reads the JSON in the page; everything else gets that object, `data`
// host.js      where that JSON, the engine and the address are: in the page, or in the playground around it (playground.js)
// clock.js     the time that the page shows: clock.t, set, play, pause, listen
// whatif.js    parameters that the reader has changed: whatif.change (one number per parameter of data.wrt),
//              set(k, change), prediction(), listen; predict.js computes the linear prediction
// live.js      runs the model again in a worker (live_worker.js, live_engine.js); `data` is then that of the new run, `original`
//              that of the report; live_page.js lets the page follow. null in pages without the engine
// state.js     keeps what the reader has chosen in the address
// scene.js     draws the mechanism of one `data` on any 2D context; reactions.js and overlays.js its arrows,
//              sketch.js and phase.js models without a drawing, tape.js computes the drawing's steps
// motion.js    the stage: canvas, camera.js, transport. Further motions are drawn beside the own one: a list of
//              {name, scene: makeScene(otherData), ink, shown(), show(on)}, with ink "other" (--other of the style)
// dock.js      the small stage and time bar while the stage is out of sight
// plots.js     plots over time: curves.js lists them, bands.js shows contacts, picture.js draws a plot for files and paper
// head.js, gradient.js, events.js, checks.js, model.js, compare.js, answer.js: the other sections
// keys.js      keys and their sheet; export.js and vector.js write files; print.js prepares the page for paper
//
// Modules communicate only through `data`, `clock` and `whatif`: listeners of these follow every change.
import {makeAnswer} from "./answer.js";
import {makeChecks} from "./checks.js";
import {makeClock} from "./clock.js";
import {makeComparison, otherMotions} from "./compare.js";
import {readData} from "./data.js";
import {makeDock} from "./dock.js";
import {el} from "./dom.js";
import {makeDownloads} from "./download.js";
import {makeEvents} from "./events.js";
import {makeGradient} from "./gradient.js";
import {makeFacts, makeTitle} from "./head.js";
import {givenData, isGuest, keepLinks} from "./host.js";
import {makeKeys} from "./keys.js";
import {makeLive} from "./live.js";
import {besides, makeLicences, noteOriginal, rebuildAfterRuns} from "./live_page.js";
import {makeModel, makeScript} from "./model.js";
import {makeMotion} from "./motion.js";
import {makePlots} from "./plots.js";
import {preparePrint} from "./print.js";
import {keepState} from "./state.js";
import {isDark, onTheme, toggleTheme} from "./theme.js";
import {makeWhatif} from "./whatif.js";

function navigation(sections, sheet) {
  const label = () => (isDark() ? "Light" : "Dark");
  const toggle = el("button", {type: "button", class: "plain", id: "theme", onclick: toggleTheme}, label());
  onTheme(() => (toggle.textContent = label()));
  const help = el("button", {type: "button", class: "plain", id: "help", "aria-label": "Keys", title: "Keys", onclick: () => sheet.showModal()}, "?");
  const links = sections.map((s) => el("a", {href: `#${s.id}`}, s.querySelector("h2").textContent));
  const seen = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries)
      links[sections.indexOf(target)].toggleAttribute("data-here", isIntersecting);
  }, {rootMargin: "-20% 0px -70% 0px"});
  sections.forEach((s) => seen.observe(s));
  return el("nav", {"aria-label": "Sections"}, el("div", {class: "nav-inner"}, el("div", {class: "links"}, links), help, !isGuest() && toggle));
}

// The motion plays once by itself, unless the reader prefers reduced motion.
function playOnce(clock) {
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play();
}

function build() {
  const data = readData(givenData()), original = {...data};
  const clock = makeClock(data.start, Math.max(data.end, data.other?.end ?? -Infinity));
  const live = makeLive(data, original);
  const whatif = makeWhatif(original, data, live);
  const stage = data.motion && data.motion.rows > 0 ? makeMotion(data, clock, whatif, live ? besides(original, live, whatif) : otherMotions(data)) : null;
  const plots = stage && makePlots(data, clock, whatif);
  const facts = makeFacts(data), gradient = makeGradient(data), events = makeEvents(data, clock), checks = makeChecks(data);
  const hero = el("section", {id: "motion", class: "hero", "aria-labelledby": "motion-title"}, el("h2", {id: "motion-title", class: "unseen"}, "Motion"),
    stage?.panel, el("div", {class: "hero-side"}, facts, whatif.panel, whatif.costs));
  const sections = [hero, makeComparison(data), makeAnswer(data), gradient, plots?.section, events, checks, makeModel(data),
    makeScript(data, stage ? makeDownloads(data) : null)].filter(Boolean);
  const sheet = makeKeys(clock, stage, sections);
  document.getElementById("page").replaceChildren(navigation(sections, sheet),
    el("main", {}, makeTitle(data), sections), sheet,
    el("footer", {}, `Made by Saltus ${data.result.saltus}. This file is self-contained.`, live && makeLicences()),
    ...(stage ? [makeDock(data, clock, whatif, stage)] : []));
  preparePrint(stage, plots);
  keepLinks();
  if (live) {
    rebuildAfterRuns(data, live, [[facts, () => makeFacts(data)], [gradient, () => makeGradient(data)], [events, () => makeEvents(data, clock)]]);
    if (checks) noteOriginal(checks, live);
    whatif.panel?.addEventListener("pointerenter", live.prepare, {once: true});
  }
  window.saltus = {data, original, clock, whatif, stage, live}; // for tests and debugging
  if (!keepState(data, original, clock, whatif)) playOnce(clock);
}

build();
