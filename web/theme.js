// Light and dark: as set in the system (page.html reads this before anything is drawn), until the reader
// chooses. Colours on canvases come from the style sheet, so that they are defined in one place.

const root = document.documentElement;
const listeners = [];
let cache = {};
let chosen = false;

export const isDark = () => root.dataset.theme === "dark";

export const colour = (name) =>
  (cache[name] ??= getComputedStyle(root).getPropertyValue(`--${name}`).trim());

// Colours distinguishable with all common kinds of colour vision.
export const palette = () => Array.from({length: 8}, (_, i) => colour(`series-${i + 1}`));

export const onTheme = (listener) => listeners.push(listener);

function setTheme(name) {
  if (root.dataset.theme === name) return;
  root.dataset.theme = name;
  cache = {};
  listeners.forEach((listener) => listener());
}

export function toggleTheme() {
  chosen = true;
  setTheme(isDark() ? "light" : "dark");
}

const preferred = matchMedia("(prefers-color-scheme: dark)");
preferred.addEventListener("change", () => {
  if (!chosen) setTheme(preferred.matches ? "dark" : "light");
});

// Paper is light.
let onScreen;
addEventListener("beforeprint", () => {
  onScreen = root.dataset.theme;
  setTheme("light");
});
addEventListener("afterprint", () => setTheme(onScreen));
