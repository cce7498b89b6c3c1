// Pictures as files: a function that draws on a 2D context becomes a PNG or an SVG file, a canvas that moves a film.
import {el} from "./dom.js";
import {makeVector} from "./vector.js";

export function save(name, blob) {
  const url = URL.createObjectURL(blob), link = el("a", {href: url, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export const saveText = (name, type, text) => save(name, new Blob([text], {type}));

// The names of a report's files, without the ending.
export const stemOf = (data) => (data.result.script.file.split("/").pop() || "report").replace(/\.lua$/, "") || "report";

// draw(g, width, height) on paper of that size.
export function savePng(name, width, height, draw) {
  const canvas = document.createElement("canvas"), ratio = 2;
  canvas.width = width * ratio, canvas.height = height * ratio;
  const g = canvas.getContext("2d");
  g.scale(ratio, ratio);
  draw(g, width, height);
  canvas.toBlob((blob) => blob && save(name, blob), "image/png");
}

export function svgOf(width, height, draw) {
  const g = makeVector(width, height);
  draw(g, width, height);
  return g.svg();
}

export const saveSvg = (name, width, height, draw) => saveText(name, "image/svg+xml", svgOf(width, height, draw));

const filmTypes = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
const filmType = () => (typeof MediaRecorder === "undefined" || !HTMLCanvasElement.prototype.captureStream ? null
  : filmTypes.find((type) => MediaRecorder.isTypeSupported(type)) ?? null);
export const canFilm = () => filmType() !== null;

// Records the canvas while the clock plays from the start to the end. Resolves when the film is saved.
export function film(stem, canvas, clock) {
  const type = filmType(), stream = canvas.captureStream(30), pieces = [];
  const recorder = new MediaRecorder(stream, {mimeType: type, videoBitsPerSecond: 6e6});
  const looped = clock.looping;
  return new Promise((done) => {
    recorder.ondataavailable = (event) => event.data.size && pieces.push(event.data);
    recorder.onstop = () => {
      stream.getTracks().forEach((track) => track.stop());
      clock.looping = looped;
      save(`${stem}.${type.startsWith("video/mp4") ? "mp4" : "webm"}`, new Blob(pieces, {type: type.split(";")[0]}));
      done();
    };
    clock.looping = false;
    clock.pause();
    clock.set(clock.start);
    recorder.start();
    clock.play();
    clock.listen(() => {
      if (!clock.playing && recorder.state === "recording") setTimeout(() => recorder.state === "recording" && recorder.stop(), 200);
    });
  });
}
