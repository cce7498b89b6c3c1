// The event ledger: all events, and their effects on the sensitivities.
import {modesText, readerOf} from "./contacts.js";
import {el, hint, numberCell, scroller, section} from "./dom.js";
import {formatNumber, plural, signed} from "./format.js";
import {motionName} from "./names.js";
import {lineLink} from "./script.js";

const firstRows = 50;

// The impulse of an event: of its law, normal in its contact, or the largest one of a constraint, {value, of: its name}.
function impulseOf(data, event) {
  const value = event.impulse ?? (readerOf(data, event.name).impulse(event)[0] || null);
  if (value !== null) return {value};
  const [of, largest] = Object.entries(event.impulses ?? {}).reduce((a, b) => (Math.abs(b[1] ?? 0) > Math.abs(a[1] ?? 0) ? b : a), ["", 0]);
  return largest ? {value: largest, of} : {value: null};
}

function impulseCell(data, event) {
  const {value, of} = impulseOf(data, event);
  return numberCell("td", value, formatNumber(value, 4), of ? {title: `${value}, of the constraint ${of}`} : {});
}

// A note in two or three words; the whole note is in the title.
const shortNote = (note) => (/exchange/.test(note) ? "order may swap" : /past the end/.test(note) ? "may leave the run"
  : /grazing/.test(note) ? "nearly grazes" : /same instant/.test(note) ? "same instant" : "see More");

const mostJumps = 2; // jumps shown in a row of the table

// The jumps: [{name, before, after, size}], the largest first, relative to the largest value in the motion.
export function jumpsOf(data, i) {
  const [before, after] = data.motion?.events[i] ?? [];
  if (after === undefined) return [];
  const range = (column) => column.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  const kinds = [["memory", data.model.memories, ({name}) => name], ["position", data.model.coordinates, (c) => motionName(c, 0)],
    ["velocity", data.model.coordinates, (c) => motionName(c, 1)]];
  return kinds.flatMap(([kind, list, called]) => list.map((thing, k) => {
    const column = data.motion.values[kind][k], [from, to] = [column[before], column[after]];
    return {name: called(thing), before: from, after: to, size: Math.abs(to - from) / (range(column) || 1)};
  })).filter(({size}) => size > 1e-5).sort((a, b) => b.size - a.size);
}

function changeCell(data, event, i) {
  const modes = modesText(data, i), all = jumpsOf(data, i), ends = data.motion?.events[i]?.length === 1;
  const text = ({name, before, after}) => `${name} ${formatNumber(before, 3)} \u2192 ${formatNumber(after, 3)}`;
  return el("td", {class: "changed"}, modes && el("div", {}, modes), ends && el("div", {}, "the run ends"),
    all.length > 0 && el("div", {class: "muted jumps", title: all.map(text).join("\n")},
      all.slice(0, mostJumps).map((jump, k) => [k ? ", " : "", el("span", {}, text(jump))]), all.length > mostJumps && " \u2026"));
}

// The change of the energy; rounding errors are shown as zero.
function energyCell({energy_lost: lost, energy_before: before}) {
  const change = lost === null || lost === undefined ? null : 0 - lost;
  return numberCell("td", change, formatNumber(Math.abs(change) < 1e-12 * Math.max(1, Math.abs(before)) ? 0 : change, 4));
}

// The parameter that moves the event most, by its relative change.
function strongest(data, event) {
  const list = data.wrt.map((p) => ({p, d: event.time_gradient?.[p.name] ?? 0}))
    .sort((a, b) => Math.abs(b.d * (b.p.value || 1)) - Math.abs(a.d * (a.p.value || 1)));
  return list.length && list[0].d !== 0 ? list[0] : null;
}

function matrix(event) {
  const jump = event.jump_matrix;
  if (!jump) return null;
  const most = Math.max(...jump.values.flat().map((v) => Math.abs(v ?? 0)), 1e-300);
  const nothing = (v) => Math.abs(v) < 1e-14 * most; // rounding
  const cell = (v) => numberCell("td", v, nothing(v) ? "\u00b7" : formatNumber(v, 4), {
    class: nothing(v) ? "zero" : "shaded",
    style: nothing(v) ? null : `--shade: color-mix(in srgb, var(--${v >= 0 ? "positive" : "negative"}) ${Math.round(8 + 30 * Math.sqrt(Math.abs(v) / most))}%, transparent)`});
  return el("div", {}, el("h3", {class: "small"}, "Jump matrix"),
    el("p", {class: "note"}, "The effect of a small change of the state before the event (columns; then of the parameters) on the state after it (rows). Singular values: ",
      jump.singular_values.slice(0, 8).map((v) => formatNumber(v, 4)).join(", "), jump.singular_values.length > 8 && " \u2026"),
    scroller("Jump matrix", el("table", {class: "grid matrix"},
      el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "after \\ before"), jump.columns.map((c) => el("th", {scope: "col", class: "num"}, c)))),
      el("tbody", {}, jump.values.map((row, i) => el("tr", {}, el("th", {scope: "row"}, jump.rows[i]), row.map(cell)))))));
}

function pairs(title, entries) {
  if (!entries.length) return null;
  return el("div", {}, el("h3", {class: "small"}, title), el("dl", {class: "pairs"},
    entries.map(([name, value]) => el("div", {}, el("dt", {}, name), numberCell("dd", value, formatNumber(value, 6))))));
}

function details(event) {
  return el("div", {class: "event-details"},
    event.notes.map((text) => el("p", {class: "warn"}, text)),
    pairs("d\u03c4/d\u03c1, how the parameters move its time", Object.entries(event.time_gradient || {})),
    pairs("Impulses of constraints", Object.entries(event.impulses || {}).filter(([, v]) => v !== 0 && v !== null)),
    matrix(event));
}

export function makeEvents(data, clock) {
  const lead = "Each event changes the motion at once, and multiplies small errors by its jump matrix.";
  if (!data.events.length)
    return section("events", "Events", lead, el("p", {class: "panel note"}, "Nothing happened: the motion is smooth from the start to the end."));
  const columns = 9;
  const body = el("tbody", {});
  function row(event, i) {
    const top = strongest(data, event);
    let opened = null;
    const button = el("button", {type: "button", class: "plain", "aria-expanded": "false", onclick: () => {
      if (!opened) {
        opened = el("tr", {class: "details"}, el("td", {colspan: columns}, details(event)));
        line.after(opened);
      } else {
        opened.remove();
        opened = null;
      }
      button.setAttribute("aria-expanded", String(Boolean(opened)));
      button.textContent = opened ? "Less" : "More";
    }}, "More");
    const line = el("tr", {"data-event": i},
      el("td", {class: "num"}, String(i + 1)),
      el("td", {class: "num"}, el("button", {type: "button", class: "link", title: "Show the mechanism at this time",
        "data-value": event.time, onclick: () => clock.set(event.time)}, formatNumber(event.time, 8))),
      el("th", {scope: "row"}, lineLink(data, data.model.events.find((e) => e.name === event.name)?.line, event.name), event.automatic && el("span", {class: "tag"}, "kink"),
        (event.grazing || event.notes.length > 0) && el("span", {class: "tag warn-tag", title: event.notes.join("; ")}, event.grazing ? "grazing" : shortNote(event.notes[0]))),
      changeCell(data, event, i),
      numberCell("td", event.rate, formatNumber(event.rate, 4)),
      el("td", {class: "num"}, top ? `${top.p.name}: ${signed(top.d, 3)}` : "\u2013"),
      impulseCell(data, event),
      energyCell(event),
      el("td", {class: "num"}, numberCell("span", event.jump_size, formatNumber(event.jump_size, 4)), " ", button));
    return line;
  }
  data.events.slice(0, firstRows).forEach((event, i) => body.append(row(event, i)));
  const rest = data.events.length - firstRows;
  const more = rest > 0 && el("button", {type: "button", class: "plain", onclick: (e) => {
    data.events.slice(firstRows).forEach((event, i) => body.append(row(event, firstRows + i)));
    e.currentTarget.remove();
  }}, `Show ${plural(rest, "more event", "more events")}`);
  const head = ["#", "Time", "Event", ["What changed", hint("Modes, and the positions, velocities and memories that jump most, by their size over the whole motion.")],
    ["Guard rate", hint("Rate of the guard where it crosses zero. A small rate means that the event nearly grazes: its time is uncertain.")],
    ["Moved most by, d\u03c4/d\u03c1", hint("The parameter whose relative change moves the time of the event most, and by how much the time changes with it.")],
    "Impulse", ["Energy change", hint("Kinetic energy after the event less before it.")],
    ["Jump size", hint("The largest singular value of the jump matrix: by how much the event may multiply a small error of the state.")]];
  const numeric = new Set([0, 1, 4, 5, 6, 7, 8]);
  return section("events", "Events", lead, el("div", {class: "panel"},
    scroller("Table of events", el("table", {id: "event-table", class: "grid"},
      el("thead", {}, el("tr", {}, head.map((text, i) => el("th", {scope: "col", class: numeric.has(i) ? "num" : null}, text)))), body)), more));
}
