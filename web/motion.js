// The stage: the mechanism and its controls.
import {makeCamera, steerWith} from "./camera.js";
import {el, menu} from "./dom.js";
import {canFilm, film, savePng, saveSvg, stemOf, svgOf} from "./export.js";
import {formatNumber} from "./format.js";
import {makeScene} from "./scene.js";
import {modeAt, rowBefore} from "./series.js";
import {colour, onTheme, palette} from "./theme.js";

const icons = {
  play: "M6 4l12 8-12 8z", pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  closer: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z", farther: "M5 11h14v2H5z", whole: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  follow: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm0 4a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
  next: "M5 5l9 7-9 7zM16 5h3v14h-3z", previous: "M19 5l-9 7 9 7zM5 5h3v14H5z", start: "M18 5l-9 7 9 7zM6 5h2v14H6z",
};

export function icon(name) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", icons[name]);
  picture.append(path);
  return picture;
}

export const iconButton = (name, label, action, attributes = {}) =>
  el("button", {type: "button", class: "icon", "aria-label": label, title: label, onclick: action,
    ...attributes}, icon(name));

// Colours of modes, in the order in which they are met.
export function modeColours(data) {
  const names = [...new Set(data.motion.modes.map((m) => m[1]))];
  return (text) => palette()[names.indexOf(text) % 8];
}

// Modes as bands and events as ticks, above the slider.
function drawStrip(canvas, data, clock) {
  const width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio || 1;
  if (!width) return;
  canvas.width = width * ratio, canvas.height = height * ratio;
  const g = canvas.getContext("2d"), {motion} = data;
  g.scale(ratio, ratio);
  const x = (t) => (clock.end > clock.start ? (t - clock.start) / (clock.end - clock.start) : 0) * width;
  const colourOf = modeColours(data);
  g.fillStyle = colour("line");
  g.fillRect(0, height - 4, width, 4);
  motion.modes.forEach(([row, text], i) => {
    if (text === null) return;
    const next = motion.modes[i + 1], to = next ? motion.t[next[0]] : data.end;
    g.fillStyle = colourOf(text);
    g.fillRect(x(motion.t[row]), height - 4, x(to) - x(motion.t[row]), 4);
  });
  g.fillStyle = colour("event");
  for (const event of data.events) g.fillRect(Math.min(width - 2, Math.max(0, x(event.time) - 1)), 0, 2, height);
}

// A slider over the time of the run, below it the strip of events. Returns {box, show}.
export function makeScrubber(data, clock, id) {
  const span = () => clock.end - clock.start;
  const strip = el("canvas", {class: "strip", "aria-hidden": "true"});
  const slider = el("input", {type: "range", id, min: 0, max: 10000, step: 1, value: 0, "aria-label": "Time", oninput: () => {
    if (clock.playing) clock.pause();
    clock.set(clock.start + span() * slider.value / 10000);
  }});
  const draw = () => drawStrip(strip, data, clock);
  onTheme(draw);
  new ResizeObserver(draw).observe(strip);
  return {box: el("div", {class: "scrubber"}, strip, slider), draw, show() {
    slider.value = span() > 0 ? Math.round(10000 * (clock.t - clock.start) / span()) : 0;
    slider.setAttribute("aria-valuetext", `t = ${formatNumber(clock.t, 4)}`);
  }};
}

// A button that plays, and shows a pause while it does. Returns {box, show}.
export function makePlayer(clock, id) {
  const box = iconButton("play", "Play", () => clock.toggle(), {id, class: "icon play"});
  return {box, show() {
    const playing = box.getAttribute("aria-pressed") === "true";
    if (playing === clock.playing) return;
    box.replaceChildren(icon(clock.playing ? "pause" : "play"));
    box.setAttribute("aria-pressed", String(clock.playing));
    box.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
  }};
}

// Functions that move the time: goTo, nextEvent, previousEvent.
export function makeSteps(data, clock) {
  const times = () => data.events.map((e) => e.time), tiny = 1e-9 * Math.max(1, Math.abs(data.end - data.start));
  const goTo = (t) => {
    if (clock.playing) clock.pause();
    clock.set(t);
  };
  return {goTo,
    step: (direction) => goTo(clock.t + direction * (data.end - data.start) / 200),
    nextEvent: () => goTo(times().find((t) => t > clock.t + tiny) ?? clock.end),
    previousEvent: () => goTo(times().reverse().find((t) => t < clock.t - tiny) ?? data.start)};
}

// On a wide window the stage fills the first screen; on a narrow one it leaves room for the controls.
function stageHeight(aspect) {
  const wide = innerWidth > 1000, room = innerHeight - (wide ? 340 : 430);
  return Math.round(Math.max(wide ? 340 : 240, Math.min(room, wide ? 760 : (innerWidth - 34) * Math.max(0.6, aspect))));
}

// {panel, paint(g, width, height, small), keys, others}: others is a list of further motions to draw, {scene, ink}.
export function makeMotion(data, clock, whatif, others) {
  let scene = makeScene(data), drawn = data.motion;
  const {box: firstBox} = scene;
  others.forEach((other) => other.scene.box && scene.include(other.scene.box));
  const options = {traces: true, names: true, contacts: true, velocities: false, forces: false};
  const camera = makeCamera(() => {
    whole.hidden = !camera.isMoved();
    follow.setAttribute("aria-pressed", String(camera.follow));
    canvas.classList.toggle("zoomed", camera.zoom !== 1);
    paint();
  });
  const canvas = el("canvas", {id: "stage", tabindex: 0, role: "img",
    "aria-label": "The mechanism in motion. Space plays and pauses, the arrow keys step."});
  const badge = el("div", {class: "badge", "aria-live": "polite", hidden: true});
  const time = el("output", {id: "time", class: "time"});
  const mode = el("span", {class: "mode"});
  const player = makePlayer(clock, "play"), scrubber = makeScrubber(data, clock, "scrub"), steps = makeSteps(data, clock);
  const speed = el("select", {id: "speed", "aria-label": "Speed", onchange: () => (clock.speed = Number(speed.value))},
    clock.speeds.map((s) => el("option", {value: s, selected: s === clock.speed}, `${s}\u00d7`)));
  const toggle = (label, key) => el("label", {class: "check"},
    el("input", {type: "checkbox", checked: options[key], onchange: (e) => {
      options[key] = e.target.checked;
      paint();
    }}), label);
  const whole = iconButton("whole", "Show the whole motion", camera.reset, {id: "view-whole", hidden: true});
  const follow = iconButton("follow", "Follow what moves", () => camera.setFollow(!camera.follow), {id: "view-follow", "aria-pressed": "false"});
  const view = el("div", {class: "view-tools", role: "group", "aria-label": "View"}, whole, scene.canFollow && follow,
    iconButton("farther", "Farther away", () => camera.zoomBy(1 / 1.4), {id: "view-out"}), iconButton("closer", "Closer", () => camera.zoomBy(1.4), {id: "view-in"}));

  canvas.style.height = `${stageHeight(scene.aspect)}px`; // from the beginning: nothing moves when it is drawn
  let size = {width: 0, height: 0};
  function resize() {
    const width = canvas.parentElement.clientWidth;
    if (!width) return;
    const height = stageHeight(scene.aspect), ratio = devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio), canvas.height = Math.round(height * ratio);
    size = {width, height, ratio};
    paint();
  }
  // A live page may have run the model again.
  function follows() {
    if (drawn === data.motion) return;
    drawn = data.motion;
    scene = makeScene(data);
    scene.include(firstBox);
    clock.setEnd(data.end);
    scrubber.draw();
  }
  const drawOn = (g, width, height, small = false) => scene.draw(g, width, height, clock.t,
    {...options, small, camera: small ? {zoom: 1, x: 0, y: 0, follow: camera.follow} : camera, prediction: whatif.prediction(), others: others.filter((o) => o.shown())});
  function paint() {
    if (!size.width) return;
    const g = canvas.getContext("2d");
    g.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    drawOn(g, size.width, size.height);
  }
  function showBadge() {
    const index = data.events.findIndex((e) => Math.abs(e.time - clock.t) <= 0.012 * (data.end - data.start));
    badge.hidden = index < 0;
    if (index >= 0) badge.textContent = `${data.events[index].name} \u00b7 event ${index + 1}`;
  }
  function show() {
    scrubber.show();
    player.show();
    time.textContent = `t = ${formatNumber(clock.t, 4)}`;
    const text = modeAt(data.motion.modes, rowBefore(data.motion.t, clock.t));
    mode.textContent = mode.title = text === null ? "" : text;
    showBadge();
    paint();
  }
  steerWith(canvas, camera, () => clock.toggle());
  canvas.addEventListener("keydown", (event) => {
    const actions = {Home: () => steps.goTo(data.start), End: () => steps.goTo(data.end), PageDown: steps.nextEvent, PageUp: steps.previousEvent};
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  clock.listen(show);
  onTheme(paint);
  whatif.listen(() => {
    follows();
    show();
  });

  const stem = stemOf(data), picture = (write, ending) => write(`${stem}.${ending}`, size.width, size.height, (g, w, h) => drawOn(g, w, h));
  const saved = menu("Save", "Save a picture or a film", [
    ["PNG", "save-png", () => picture(savePng, "png")], ["SVG", "save-svg", () => picture(saveSvg, "svg")],
    ...(canFilm() ? [["Film (WebM)", "save-film", () => film(stem, canvas, clock)]] : [])]);
  const panel = el("div", {class: "panel stage-panel", id: "stage-panel"},
    el("div", {class: "stage"}, canvas, badge, scene.isDrawn && view),
    scrubber.box,
    el("div", {class: "transport"},
      iconButton("start", "To the start", () => steps.goTo(data.start), {id: "rewind"}), player.box,
      data.events.length > 0 && [iconButton("previous", "Previous event", steps.previousEvent, {id: "previous-event"}),
        iconButton("next", "Next event", steps.nextEvent, {id: "next-event"})],
      time, mode, el("div", {class: "how"}, el("label", {class: "select"}, el("span", {}, "Speed"), speed), saved)),
    el("div", {class: "options"},
      scene.isDrawn && toggle("Traces", "traces"), scene.isDrawn && toggle("Names", "names"),
      scene.hasContacts && toggle("Contacts", "contacts"), scene.hasVelocities && toggle("Velocities", "velocities"),
      scene.hasForces && toggle("Forces", "forces"),
      scene.isDrawn && others.map((other) => el("label", {class: "check", "data-other": other.name}, el("input", {type: "checkbox", checked: other.on ?? other.shown(), onchange: (e) => {
        other.show(e.target.checked);
        paint();
      }}), el("i", {class: `key ${other.ink}`}), other.name)),
      el("label", {class: "check"}, el("input", {type: "checkbox", id: "loop",
        onchange: (e) => (clock.looping = e.target.checked)}), "Loop")),
    scene.isGuessed && el("p", {class: "note"},
      scene.isDrawn ? "This model draws nothing: its coordinates move in the direction of their names. "
        : "This model draws nothing: shown are phase portraits, velocity over position. ",
      el("code", {}, "draw.line"), ", ", el("code", {}, "draw.circle"), " and ",
      el("code", {}, "draw.trace"), " in the script make a picture."));
  new ResizeObserver(resize).observe(panel);
  addEventListener("resize", resize);
  show();
  return {panel, canvas, camera, steps, paintOn: drawOn, paint, scene,
    svg: () => svgOf(size.width || 800, size.height || 480, (g, w, h) => drawOn(g, w, h))};
}
