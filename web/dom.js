// Elements. Texts of the script only ever become text nodes: nothing in them is read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in element) element.value = value;
    else if (name === "style") element.style.cssText = value; // the policy forbids the attribute
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
  return element;
}

export const el = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// A cell that shows a number and keeps all its digits.
export const numberCell = (tag, value, text, attributes = {}) =>
  el(tag, {...attributes, class: `num ${attributes.class || ""}`.trim(),
    "data-value": value === null || value === undefined ? "" : String(value),
    title: attributes.title ?? (value === null || value === undefined ? undefined : String(value))}, text);

export function section(id, title, lead, ...children) {
  return el("section", {id, "aria-labelledby": `${id}-title`},
    el("header", {class: "section-head"},
      el("h2", {id: `${id}-title`}, title), lead && el("p", {class: "lead"}, lead)),
    ...children);
}

export const scroller = (label, ...children) =>
  el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": label}, ...children);

export function selector(label, options, chosen, change) {
  const select = el("select", {onchange: () => change(Number(select.value))},
    options.map((text, i) => el("option", {value: i, selected: i === chosen}, text)));
  return el("label", {class: "select"}, el("span", {}, label), select);
}

// Buttons, one of which is pressed.
export function choice(label, options, chosen, change) {
  const buttons = options.map((text, i) => el("button", {
    type: "button", "aria-pressed": String(i === chosen),
    onclick: () => {
      buttons.forEach((b, k) => b.setAttribute("aria-pressed", String(k === i)));
      change(i);
    },
  }, text));
  return el("div", {class: "choice", role: "group", "aria-label": label}, buttons);
}

// A button that opens a list of actions, [text, id, action]; it closes when one is chosen.
export function menu(label, title, entries) {
  const list = el("div", {class: "menu-list"}, entries.map(([text, id, action]) =>
    el("button", {type: "button", id, onclick: () => {
      box.open = false;
      action();
    }}, text)));
  const box = el("details", {class: "menu"}, el("summary", {title}, label), list);
  box.addEventListener("focusout", (event) => {
    if (!box.contains(event.relatedTarget)) box.open = false;
  });
  return box;
}

// A "?" that explains the item before it, also for readers who cannot hover.
export const hint = (text) => {
  const body = el("span", {class: "hint-text", role: "note", hidden: true}, text);
  return el("span", {class: "hint"}, el("button", {type: "button", class: "hint-button", "aria-expanded": "false", "aria-label": "What is this?", title: text,
    onclick: (event) => {
      body.hidden = !body.hidden;
      event.currentTarget.setAttribute("aria-expanded", String(!body.hidden));
    }}, "?"), body);
};
