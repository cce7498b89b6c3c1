// The reader's choices, in the address: #t=0.35&set=L02:2.2677,e:0.5&plots=positions,costs. That address
// shows the same again.
import {readAddress, writeAddress} from "./host.js";

const names = (text) => (text ? text.split(",").map(decodeURIComponent) : []);

export function readState(hash) {
  if (!hash.includes("=")) return {};
  const given = Object.fromEntries(hash.replace(/^#/, "").split("&").map((part) => {
    const at = part.indexOf("=");
    return [part.slice(0, at), part.slice(at + 1)];
  }));
  const pairs = (given.set ?? "").split(",").map((pair) => pair.split(":")).filter((pair) => pair.length === 2);
  return {t: given.t === undefined ? undefined : Number(given.t), plots: given.plots === undefined ? undefined : names(given.plots),
    set: Object.fromEntries(pairs.map(([name, value]) => [decodeURIComponent(name), Number(value)]).filter(([, value]) => Number.isFinite(value)))};
}

export function writeState({t, set, plots}) {
  const parts = [];
  if (t !== undefined) parts.push(`t=${Number(t.toPrecision(6))}`);
  const pairs = Object.entries(set ?? {}).map(([name, value]) => `${encodeURIComponent(name)}:${Number(value.toPrecision(15))}`);
  if (pairs.length) parts.push(`set=${pairs.join(",")}`);
  if (plots) parts.push(`plots=${plots.map(encodeURIComponent).join(",")}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

const toggles = () => [...document.querySelectorAll("[data-toggle]")];
const pressed = (button) => button.getAttribute("aria-pressed") === "true";
const shownPlots = () => toggles().filter(pressed).map((button) => button.dataset.toggle);

// Applies the choices in the address, and keeps it up to date from then on. Returns whether there were any.
export function keepState(data, original, clock, whatif) {
  const given = readState(readAddress()), first = shownPlots();
  for (const button of toggles()) if (given.plots && given.plots.includes(button.dataset.toggle) !== pressed(button)) button.click();
  const moved = original.wrt.filter(({name}) => given.set?.[name] !== undefined);
  if (whatif.possible && moved.length) {
    const values = whatif.values();
    for (const {name, index} of moved) values[index] = given.set[name];
    whatif.moveTo(values);
  }
  if (given.t !== undefined && Number.isFinite(given.t)) clock.set(given.t);
  let timer = null;
  const write = () => {
    timer = null;
    const set = Object.fromEntries(original.wrt.map((param, k) => [param.name, param.value + whatif.change[k], whatif.change[k]]).filter(([, , d]) => d !== 0));
    const plots = shownPlots(), same = plots.length === first.length && plots.every((name) => first.includes(name));
    const hash = writeState({t: clock.t > data.start && !clock.playing ? clock.t : undefined, set, plots: same ? undefined : plots});
    if (hash || readAddress().includes("=")) writeAddress(hash || "#");
  };
  const later = () => {
    if (!clock.playing) timer ??= setTimeout(write, 400);
  };
  clock.listen(later);
  whatif.listen(later);
  document.addEventListener("click", (event) => event.target.closest("[data-toggle]") && later());
  return given.t !== undefined || moved.length > 0;
}
