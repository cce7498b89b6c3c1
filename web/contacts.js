// Contacts: the groups of modes with their names, their forces, and the changes of their modes at events.
import {activeModes, valueAt} from "./series.js";

const kindWords = new Map([["open", "open"], ["closed", "closed"], ["stick", "sticks"],
  ["slide+", "slides +"], ["slide-", "slides \u2212"]]);

export const contactWord = (kind) => kindWords.get(kind);

// Contacts that may close, {name, kinds}, kinds by number of the mode. A contact that only bounces is always open.
export function listContacts(data) {
  const {contacts, modes} = data.model;
  return contacts.filter((c) => c.closes).map(({name}) => ({name, kinds: new Map(modes.flatMap((m, i) =>
    (m.group === name ? [[i, m.name.slice(name.length + 1)]] : [])))}));
}

// The kind of a contact while these modes are active: "open", "stick", ...; null if it has no modes.
export function kindOf(contact, active) {
  const mode = active.find((i) => contact.kinds.has(i));
  return mode === undefined ? null : contact.kinds.get(mode);
}

// [{from, to, kind}]: how long a contact is open, sticks, slides.
export function staysOf(data, contact) {
  const {motion, model} = data, stays = [];
  motion.modes.forEach(([row, text]) => {
    const kind = kindOf(contact, activeModes(text, model.modes)), t = motion.t[row];
    const last = stays.at(-1);
    if (last && last.kind === kind) return;
    if (last) last.to = t;
    stays.push({from: t, to: data.end, kind});
  });
  return stays.filter((s) => s.kind !== null && s.to >= s.from);
}

// When a contact touches, and when it comes to rest.
export function marksOf(data, name) {
  const words = new Map([[name, "touch"], [`${name}.rest`, "rest"]]);
  return data.events.filter((event) => words.has(event.name)).map((event) => ({t: event.time, kind: words.get(event.name)}));
}

// ---- forces ----------------------------------------------------------------------------------------

// Functions that read the force and the impulse of a contact, [normal, tangential]. Multipliers are negative where they
// push.
export function readerOf(data, name) {
  const find = (wanted) => data.model.constraints.findIndex((c) => c.name === wanted);
  const normal = find(name), along = Math.max(find(`${name}.friction`), find(`${name}.hold`));
  const multiplier = data.motion?.values.multiplier;
  const read = (index, place) => (index < 0 ? 0 : -valueAt(multiplier[index], place) || 0);
  const given = (event, index) => (index < 0 ? 0 : -(event.impulses?.[data.model.constraints[index].name] ?? 0));
  return {
    force: (place) => [read(normal, place), read(along, place)],
    // A bounce that has no constraint has an impulse of its own.
    impulse: (event) => (normal < 0 ? [event.name === name ? event.impulse ?? 0 : 0, 0]
      : event.name === name && event.impulse ? [event.impulse, 0] : [given(event, normal), given(event, along)]),
  };
}

// ---- events ----------------------------------------------------------------------------------------

// The group that an event belongs to, by its name; -1: none.
function groupOfEvent(groups, name) {
  let best = -1;
  groups.forEach((group, k) => {
    const fits = group !== "" && (name === group || name.startsWith(`${group}.`));
    if (fits && (best < 0 || group.length > groups[best].length)) best = k;
  });
  return best;
}

// "foot.open -> foot.stick": what changes in the contact of this event, and in groups that have no event of
// their own at this instant. With one group: all changes.
export function modesText(data, index) {
  const {events, model} = data, event = events[index], {from, to} = event;
  if (from === null || from === undefined) return "";
  const arrow = (a, b) => (a === b ? a : `${a} \u2192 ${b}`);
  const groups = [...new Set(model.modes.map((m) => m.group))];
  if (groups.length < 2) return arrow(from, to);
  let first = index, last = index;
  while (first > 0 && events[first - 1].time === event.time) first--;
  while (last + 1 < events.length && events[last + 1].time === event.time) last++;
  const active = (text) => activeModes(text, model.modes);
  const before = active(from), after = active(to), name = (i) => model.modes[i]?.name ?? "";
  const own = groupOfEvent(groups, event.name), list = [];
  if (own >= 0 && before[own] !== after[own]) list.push(arrow(name(before[own]), name(after[own])));
  else if (own >= 0) list.push(arrow(name(active(events[first].from)[own]), name(active(events[last].to)[own])));
  const told = new Set(events.slice(first, last + 1).map((e) => groupOfEvent(groups, e.name)));
  groups.forEach((_, k) => before[k] !== after[k] && !told.has(k) && list.push(arrow(name(before[k]), name(after[k]))));
  return list.join(", ");
}
