// A small stage and the time bar at the bottom of the window, while the large stage is out of sight.
import {el} from "./dom.js";
import {formatNumber} from "./format.js";
import {makePlayer, makeScrubber} from "./motion.js";
import {onTheme} from "./theme.js";

export function makeDock(data, clock, whatif, stage) {
  const canvas = el("canvas", {class: "mini", id: "mini-stage", role: "img", "aria-label": "The mechanism, small"});
  const scrubber = makeScrubber(data, clock, "dock-scrub"), player = makePlayer(clock, "dock-play");
  const time = el("output", {class: "time"});
  const fold = el("button", {type: "button", class: "plain", id: "dock-fold", "aria-pressed": "true", title: "Show or hide the small stage", onclick: () => {
    canvas.hidden = !canvas.hidden;
    fold.setAttribute("aria-pressed", String(!canvas.hidden));
    paint();
  }}, "Picture");
  const back = () => stage.panel.scrollIntoView({block: "center"});
  canvas.addEventListener("click", back);
  const box = el("aside", {class: "dock", id: "dock", "aria-label": "Time", hidden: true}, canvas,
    el("div", {class: "dock-bar"}, player.box, scrubber.box, time, fold));
  function paint() {
    const width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio || 1;
    if (box.hidden || canvas.hidden || !width) return;
    canvas.width = width * ratio, canvas.height = height * ratio;
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    stage.paintOn(g, width, height, true);
  }
  function show() {
    if (box.hidden) return;
    scrubber.show();
    player.show();
    time.textContent = `t = ${formatNumber(clock.t, 4)}`;
    paint();
  }
  new IntersectionObserver(([entry]) => {
    const away = !entry.isIntersecting;
    if (box.hidden !== away) return;
    box.hidden = !away;
    document.body.classList.toggle("docked", away);
    show();
  }, {threshold: 0.15}).observe(stage.panel);
  clock.listen(show);
  whatif.listen(() => {
    scrubber.draw();
    paint();
  });
  onTheme(paint);
  return box;
}
