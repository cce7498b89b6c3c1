// Contacts over time: one row each, open, sticking or sliding as bands, touches and rest as marks.
import {contactWord, listContacts, marksOf, staysOf} from "./contacts.js";
import {el} from "./dom.js";
import {formatNumber, niceStep} from "./format.js";

const bandClass = (kind) => `band ${kind.replace("+", "-plus").replace(/-$/, "-minus")}`;

const saidOf = (kind) => `${kind === "open" || kind === "closed" ? "is " : ""}${contactWord(kind) ?? kind}`;

// A row in words, for readers who cannot see it; only the beginning of a long row.
const inWords = (stays) => stays.slice(0, 8).map((s) => `${saidOf(s.kind)} until ${formatNumber(s.to, 4)}`).join(", ") + (stays.length > 8 ? " \u2026" : "");

// null if there are no contacts with modes. shared.window: the time that all plots show, null for all of it.
export function makeBands(data, clock, shared) {
  const rows = listContacts(data).map((contact) => {
    const {name} = contact, stays = staysOf(data, contact);
    return {name, stays, marks: marksOf(data, name), track: el("div", {class: "track", "data-contact": name, role: "img", "aria-label": `${name} ${inWords(stays)}`})};
  });
  if (!rows.length) return null;
  const axis = el("div", {class: "track-axis", "aria-hidden": "true"}), cursors = [];
  const range = () => shared.window || [data.start, data.end];
  const place = (t) => {
    const [low, high] = range();
    return high > low ? 100 * (t - low) / (high - low) : 0;
  };
  const inside = (t) => place(t) >= 0 && place(t) <= 100;

  function fillTrack({name, stays, marks, track}) {
    const cursor = el("i", {class: "cursor"});
    cursors.push(cursor);
    track.replaceChildren(...stays.filter((s) => place(s.to) >= 0 && place(s.from) <= 100).map((s) => {
      const left = Math.max(0, place(s.from)), right = Math.min(100, place(s.to));
      return el("span", {class: bandClass(s.kind), "data-from": s.from, "data-to": s.to, "data-kind": s.kind,
        style: `left: ${left}%; width: ${right - left}%`,
        title: `${name} ${saidOf(s.kind)}, t = ${formatNumber(s.from, 5)} to ${formatNumber(s.to, 5)}`});
    }), ...marks.filter((m) => inside(m.t)).map((m) => el("i", {class: `mark-${m.kind}`, "data-time": m.t, style: `left: ${place(m.t)}%`,
      title: `${name} ${m.kind === "rest" ? "comes to rest" : "touches"}, t = ${formatNumber(m.t, 6)}`})), cursor);
  }
  function fillAxis() {
    const [low, high] = range(), step = niceStep(high - low, 8), ticks = [];
    for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) ticks.push(t);
    axis.replaceChildren(...ticks.map((t) => el("span", {style: `left: ${place(t)}%`}, formatNumber(Math.abs(t) < step / 1e6 ? 0 : t, 5))));
  }
  function tick() {
    for (const cursor of cursors) {
      cursor.style.opacity = inside(clock.t) ? 1 : 0;
      cursor.style.left = `${place(clock.t)}%`;
    }
  }
  function refresh() {
    cursors.length = 0;
    rows.forEach(fillTrack);
    fillAxis();
    tick();
  }
  const goTo = (event) => {
    const box = event.currentTarget.getBoundingClientRect(), [low, high] = range();
    clock.set(low + (high - low) * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
  };
  rows.forEach(({track}) => track.addEventListener("click", goTo));

  const kinds = [...new Set(rows.flatMap(({stays}) => stays.map((s) => s.kind)))];
  const marked = [...new Set(rows.flatMap(({marks}) => marks.map((m) => m.kind)))];
  const legend = el("div", {class: "legend"},
    kinds.map((kind) => el("span", {class: "chip"}, el("b", {class: bandClass(kind)}), contactWord(kind) ?? kind)),
    marked.map((kind) => el("span", {class: "chip"}, el("b", {class: `mark-${kind}`}), kind === "rest" ? "comes to rest" : "touches")));
  const box = el("div", {class: "panel plot-panel bands", "data-plot": "contacts"}, el("header", {}, el("h3", {}, "Contacts")),
    el("div", {class: "tracks"}, rows.map(({name, track}) => [el("span", {class: "track-name", title: name}, name), track]), el("span"), axis), legend);
  refresh();
  return {box, plot: {id: "contacts", quantity: "contacts", title: "Contacts", group: "Motion", shown: true}, refresh, tick, draw: refresh};
}
