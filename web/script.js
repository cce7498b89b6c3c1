// The script with line numbers, and links to its lines.
import {el} from "./dom.js";

const tokens = /(--.*$)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(\b\d[\w.]*)|\b(local|function|end|if|then|else|elseif|for|while|repeat|until|do|return|in|and|or|not|nil|true|false)\b/g;
const kinds = ["comment", "string", "number", "word"];

// Words of a line in their colours.
function coloured(text) {
  const parts = [];
  let last = 0;
  for (const match of text.matchAll(tokens)) {
    const kind = kinds[match.slice(1).findIndex((group) => group !== undefined)];
    parts.push(text.slice(last, match.index), el("span", {class: kind}, match[0]));
    last = match.index + match[0].length;
  }
  return [...parts, text.slice(last)];
}

const linesOf = (data) => data.model.script.replace(/\n$/, "").split("\n");

export const scriptText = (data) => el("pre", {class: "script", tabindex: 0, role: "region", "aria-label": "The script"},
  el("code", {}, linesOf(data).map((text, i) => el("span", {class: "line", id: `line-${i + 1}`}, coloured(text), "\n"))));

// The text as a link to that line of the script; as it is if there is no such line.
export function lineLink(data, line, text) {
  if (!(line > 0) || line > linesOf(data).length) return text;
  return el("a", {class: "line-link", href: `#line-${line}`, title: `Line ${line} of the script`, onclick: (event) => {
    event.preventDefault();
    document.getElementById("script").open = true;
    document.querySelectorAll(".line.here").forEach((other) => other.classList.remove("here"));
    const target = document.getElementById(`line-${line}`);
    target.classList.add("here");
    target.scrollIntoView({block: "center"});
  }}, text);
}
