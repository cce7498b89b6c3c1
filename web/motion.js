// The stage: the mechanism, and what one plays it with.
import {el} from "./dom.js";
import {formatNumber} from "./format.js";
import {makeScene} from "./scene.js";
import {modeAt, rowBefore} from "./series.js";
import {colour, onTheme, palette} from "./theme.js";

const icons = {
  play: "M6 4l12 8-12 8z", pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  next: "M5 5l9 7-9 7zM16 5h3v14h-3z", previous: "M19 5l-9 7 9 7zM5 5h3v14H5z", start: "M18 5l-9 7 9 7zM6 5h2v14H6z",
};

function icon(name) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", icons[name]);
  picture.append(path);
  return picture;
}

const button = (name, label, action, attributes = {}) =>
  el("button", {type: "button", class: "icon", "aria-label": label, title: label, onclick: action,
    ...attributes}, icon(name));

// Colours of modes, in the order in which they are met.
export function modeColours(data) {
  const names = [...new Set(data.motion.modes.map((m) => m[1]))];
  return (text) => palette()[names.indexOf(text) % 8];
}

// Modes as bands and events as ticks, above the slider.
function drawStrip(canvas, data) {
  const width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio || 1;
  if (!width) return;
  canvas.width = width * ratio, canvas.height = height * ratio;
  const g = canvas.getContext("2d"), {motion} = data;
  g.scale(ratio, ratio);
  const x = (t) => (data.end > data.start ? (t - data.start) / (data.end - data.start) : 0) * width;
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

export function makeMotion(data, clock, whatif) {
  const scene = makeScene(data);
  const options = {traces: true, names: true, contacts: true};
  const canvas = el("canvas", {id: "stage", tabindex: 0, role: "img",
    "aria-label": "The mechanism in motion. Space plays and pauses, the arrow keys step."});
  const strip = el("canvas", {class: "strip", "aria-hidden": "true"});
  const badge = el("div", {class: "badge", "aria-live": "polite", hidden: true});
  const span = data.end - data.start;
  const slider = el("input", {type: "range", id: "scrub", min: 0, max: 10000, step: 1, value: 0,
    "aria-label": "Time", oninput: () => {
      if (clock.playing) clock.pause();
      clock.set(data.start + span * slider.value / 10000);
    }});
  const time = el("output", {id: "time", class: "time"});
  const mode = el("span", {class: "mode"});
  const play = button("play", "Play", () => clock.toggle(), {id: "play"});
  const eventTimes = data.events.map((e) => e.time);
  const tiny = 1e-9 * Math.max(1, Math.abs(span));
  function goTo(t) {
    if (clock.playing) clock.pause();
    clock.set(t);
  }
  const nextEvent = () => goTo(eventTimes.find((t) => t > clock.t + tiny) ?? data.end);
  const previousEvent = () =>
    goTo([...eventTimes].reverse().find((t) => t < clock.t - tiny) ?? data.start);
  const speed = el("select", {id: "speed", onchange: () => (clock.speed = Number(speed.value))},
    clock.speeds.map((s) => el("option", {value: s, selected: s === clock.speed}, `${s}\u00d7`)));
  const toggle = (label, key) => el("label", {class: "check"},
    el("input", {type: "checkbox", checked: options[key], onchange: (e) => {
      options[key] = e.target.checked;
      paint();
    }}), label);

  let size = {width: 0, height: 0};
  function resize() {
    const width = canvas.parentElement.clientWidth;
    if (!width) return;
    const height = Math.round(Math.min(Math.max(width * scene.aspect, scene.least), Math.max(320, innerHeight * 0.62)));
    const ratio = devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio), canvas.height = Math.round(height * ratio);
    size = {width, height, ratio};
    drawStrip(strip, data);
    paint();
  }
  function paint() {
    if (!size.width) return;
    const g = canvas.getContext("2d");
    g.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    scene.draw(g, size.width, size.height, clock.t, whatif.prediction(), options);
  }
  function showBadge() {
    const index = eventTimes.findIndex((t) => Math.abs(t - clock.t) <= 0.012 * span);
    badge.hidden = index < 0;
    if (index >= 0) badge.textContent = `${data.events[index].name} \u00b7 event ${index + 1}`;
  }
  function show() {
    slider.value = span > 0 ? Math.round(10000 * (clock.t - data.start) / span) : 0;
    slider.setAttribute("aria-valuetext", `t = ${formatNumber(clock.t, 4)}`);
    time.textContent = `t = ${formatNumber(clock.t, 4)}`;
    const text = modeAt(data.motion.modes, rowBefore(data.motion.t, clock.t));
    mode.textContent = text === null ? "" : text;
    const playing = play.getAttribute("aria-pressed") === "true";
    if (playing !== clock.playing) {
      play.replaceChildren(icon(clock.playing ? "pause" : "play"));
      play.setAttribute("aria-pressed", String(clock.playing));
      play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    }
    showBadge();
    paint();
  }
  canvas.addEventListener("click", () => clock.toggle());
  canvas.addEventListener("keydown", (event) => {
    const step = span / 200;
    const actions = {" ": () => clock.toggle(), ArrowRight: () => goTo(clock.t + step),
      ArrowLeft: () => goTo(clock.t - step), Home: () => goTo(data.start), End: () => goTo(data.end),
      PageDown: nextEvent, PageUp: previousEvent, n: nextEvent, p: previousEvent};
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  clock.listen(show);
  onTheme(() => {
    drawStrip(strip, data);
    paint();
  });
  whatif.listen(paint);

  const panel = el("div", {class: "panel stage-panel"},
    el("div", {class: "stage"}, canvas, badge),
    el("div", {class: "scrubber"}, strip, slider),
    el("div", {class: "transport"},
      button("start", "To the start", () => goTo(data.start), {id: "rewind"}), play,
      data.events.length > 0 && [button("previous", "Previous event", previousEvent, {id: "previous-event"}),
        button("next", "Next event", nextEvent, {id: "next-event"})],
      time, mode,
      el("div", {class: "options"},
        scene.isDrawn && toggle("Traces", "traces"), scene.isDrawn && toggle("Names", "names"),
        scene.hasContacts && toggle("Contacts", "contacts"),
        el("label", {class: "check"}, el("input", {type: "checkbox", id: "loop",
          onchange: (e) => (clock.looping = e.target.checked)}), "Loop"),
        el("label", {class: "select"}, el("span", {}, "Speed"), speed))),
    !scene.isDrawn && el("p", {class: "note"},
      "This model has no elements and draws nothing: its coordinates are shown as dots. ",
      el("code", {}, "draw.line"), ", ", el("code", {}, "draw.circle"), " and ",
      el("code", {}, "draw.trace"), " in the script make a picture."));
  new ResizeObserver(resize).observe(panel);
  show();
  return panel;
}
