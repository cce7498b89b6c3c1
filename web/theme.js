// Light and dark: as the system says, until somebody chooses. Colours for what is drawn on canvases
// come from the style sheet, so that there is one place for them.

const listeners = [];
const preferred = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () =>
  (document.documentElement.dataset.theme || (preferred.matches ? "dark" : "light")) === "dark";

export const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// Distinguishable with all common kinds of colour vision.
export const palette = () => Array.from({length: 8}, (_, i) => colour(`series-${i + 1}`));

export const onTheme = (listener) => listeners.push(listener);

export function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  listeners.forEach((listener) => listener());
}

preferred.addEventListener("change", () => {
  if (!document.documentElement.dataset.theme) listeners.forEach((listener) => listener());
});

// Paper is light.
let chosen;
addEventListener("beforeprint", () => {
  chosen = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  listeners.forEach((listener) => listener());
});
addEventListener("afterprint", () => {
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
  listeners.forEach((listener) => listener());
});
