// Printing: all plots that are switched on and the stage as vector pictures, the script unfolded. Canvases come
// out empty if they were never scrolled to, or if they change their size while a page is printed.
import {el} from "./dom.js";

function pictureOf(text) {
  const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return el("div", {class: "on-paper"}, document.importNode(picture, true));
}

export function preparePrint(stage, plots) {
  let added = [], opened = [];
  const add = (place, text) => {
    const picture = pictureOf(text);
    place.after(picture);
    added.push(picture);
  };
  addEventListener("beforeprint", () => {
    if (stage) add(stage.canvas.parentElement, stage.svg());
    plots?.panels.filter(({box, svg}) => svg && !box.hidden).forEach(({area, svg}) => add(area, svg()));
    opened = [...document.querySelectorAll("#script:not([open])")];
    opened.forEach((details) => (details.open = true));
  });
  addEventListener("afterprint", () => {
    added.forEach((picture) => picture.remove());
    opened.forEach((details) => (details.open = false));
    added = [], opened = [];
  });
}
