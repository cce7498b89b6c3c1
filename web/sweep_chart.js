// Points in a plane, coloured by their sequence of events, on a canvas.

import {el} from "./dom.js";
import {formatNumber, niceStep, withUnit} from "./format.js";
import {colour, onTheme} from "./theme.js";
import {count, groupOf, hasFailed, parameters, rankOf, sequenceName, textAt} from "./sweep_data.js";

export const OTHER_COLOUR = "series-8";
export const colourOf = (group) =>
  group < 0 ? colour("bad") : colour(group >= 7 ? OTHER_COLOUR : `series-${group + 1}`);

const MARGIN = {left: 64, right: 14, top: 12, bottom: 44};
const CELL = 4; // pixels of a cell of the background

function rangeOf(values, rows) {
  let low = Infinity, high = -Infinity;
  for (const row of rows) {
    const value = values[row];
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  const pad = high > low ? 0.04 * (high - low) : Math.abs(low) * 0.1 || 1;
  return [low - pad, high + pad];
}

// The point next to each cell, by passing on neighbours' points at falling distances (Rong, Tan 2006).
function nearest(xs, ys, rows, width, height) {
  const owner = new Int32Array(width * height).fill(-1);
  for (const row of rows) {
    const i = Math.floor(xs[row] / CELL), k = Math.floor(ys[row] / CELL);
    if (i >= 0 && i < width && k >= 0 && k < height) owner[k * width + i] = row;
  }
  const distance = (row, i, k) => (xs[row] - (i + 0.5) * CELL) ** 2 + (ys[row] - (k + 0.5) * CELL) ** 2;
  let jump = 1;
  while (jump < Math.max(width, height)) jump *= 2;
  for (; jump >= 1; jump = jump > 1 ? jump / 2 : 0)
    for (let k = 0; k < height; k++)
      for (let i = 0; i < width; i++)
        for (let b = -1; b <= 1; b++)
          for (let a = -1; a <= 1; a++) {
            const u = i + a * jump, v = k + b * jump;
            if (u < 0 || v < 0 || u >= width || v >= height) continue;
            const row = owner[v * width + u], mine = owner[k * width + i];
            if (row >= 0 && (mine < 0 || distance(row, i, k) < distance(mine, i, k))) owner[k * width + i] = row;
          }
  return owner;
}

// chart.show(x, y): columns. options: background: regions of one sequence and their borders; joined: lines between
// points that follow each other in x and have one sequence; pick(row): a point was chosen.
export function chart(label, height, options = {}) {
  const canvas = el("canvas", {role: "img", "aria-label": label, height});
  const hint = el("div", {class: "hint", hidden: true});
  const element = el("div", {class: "drawing"}, canvas, hint);
  let x, y, px = [], py = [], hidden = new Set(), chosen = -1;
  const isShown = (row) => !hidden.has(groupOf[row]) && Number.isFinite(x.values[row]) && Number.isFinite(y.values[row]);

  function axes(pen, width, scale) {
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = colour("muted");
    pen.strokeStyle = colour("grid");
    pen.lineWidth = 1;
    const down = height - MARGIN.bottom;
    const stepX = niceStep(scale.x[1] - scale.x[0], width / 110), stepY = niceStep(scale.y[1] - scale.y[0], height / 60);
    pen.textAlign = "center";
    for (let v = Math.ceil(scale.x[0] / stepX) * stepX; v <= scale.x[1]; v += stepX) {
      const at = Math.round(scale.px(v)) + 0.5;
      pen.beginPath(); pen.moveTo(at, MARGIN.top); pen.lineTo(at, down); pen.stroke();
      pen.fillText(formatNumber(Math.abs(v) < stepX / 1e6 ? 0 : v, 5), at, down + 17);
    }
    pen.textAlign = "right";
    for (let v = Math.ceil(scale.y[0] / stepY) * stepY; v <= scale.y[1]; v += stepY) {
      const at = Math.round(scale.py(v)) + 0.5;
      pen.beginPath(); pen.moveTo(MARGIN.left, at); pen.lineTo(width - MARGIN.right, at); pen.stroke();
      pen.fillText(formatNumber(Math.abs(v) < stepY / 1e6 ? 0 : v, 5), MARGIN.left - 8, at + 4);
    }
    pen.fillStyle = colour("ink");
    pen.font = "600 13px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.fillText(withUnit(x.name, x.unit), (MARGIN.left + width - MARGIN.right) / 2, height - 8);
    pen.save();
    pen.translate(14, (MARGIN.top + down) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(withUnit(y.name, y.unit), 0, 0);
    pen.restore();
  }

  // Each cell belongs to the point next to it; where the sequence of two neighbours differs, there is a border.
  function regions(pen, width, rows) {
    const columns = Math.floor((width - MARGIN.left - MARGIN.right) / CELL);
    const lines = Math.floor((height - MARGIN.top - MARGIN.bottom) / CELL);
    if (columns < 2 || lines < 2) return;
    const xs = px.map((v) => v - MARGIN.left), ys = py.map((v) => v - MARGIN.top);
    const owner = nearest(xs, ys, rows, columns, lines);
    for (let k = 0; k < lines; k++)
      for (let i = 0; i < columns; i++) {
        const row = owner[k * columns + i];
        if (row < 0) continue;
        pen.fillStyle = colourOf(groupOf[row]);
        pen.globalAlpha = hidden.has(groupOf[row]) ? 0 : 0.3;
        pen.fillRect(MARGIN.left + i * CELL, MARGIN.top + k * CELL, CELL, CELL);
      }
    pen.globalAlpha = 1;
    pen.strokeStyle = colour("ink");
    pen.lineWidth = 1.2;
    pen.beginPath();
    const differs = (a, b) => a >= 0 && b >= 0 && rankOf[a] !== rankOf[b];
    for (let k = 0; k < lines; k++)
      for (let i = 0; i < columns; i++) {
        const left = MARGIN.left + i * CELL, top = MARGIN.top + k * CELL, row = owner[k * columns + i];
        if (i + 1 < columns && differs(row, owner[k * columns + i + 1])) {
          pen.moveTo(left + CELL, top); pen.lineTo(left + CELL, top + CELL);
        }
        if (k + 1 < lines && differs(row, owner[(k + 1) * columns + i])) {
          pen.moveTo(left, top + CELL); pen.lineTo(left + CELL, top + CELL);
        }
      }
    pen.stroke();
  }

  function lines(pen, rows) {
    const order = [...rows].sort((a, b) => x.values[a] - x.values[b]);
    pen.lineWidth = 1.6;
    for (let i = 1; i < order.length; i++) {
      const a = order[i - 1], b = order[i];
      if (rankOf[a] !== rankOf[b] || hasFailed[a]) continue;
      pen.strokeStyle = colourOf(groupOf[a]);
      pen.beginPath(); pen.moveTo(px[a], py[a]); pen.lineTo(px[b], py[b]); pen.stroke();
    }
  }

  function dots(pen, rows, size) {
    for (const row of rows) {
      pen.fillStyle = pen.strokeStyle = colourOf(groupOf[row]);
      if (hasFailed[row]) {
        pen.lineWidth = 1.5;
        pen.beginPath();
        pen.moveTo(px[row] - size, py[row] - size); pen.lineTo(px[row] + size, py[row] + size);
        pen.moveTo(px[row] - size, py[row] + size); pen.lineTo(px[row] + size, py[row] - size);
        pen.stroke();
      } else {
        pen.beginPath(); pen.arc(px[row], py[row], size, 0, 7); pen.fill();
      }
    }
  }

  function draw() {
    const width = element.clientWidth;
    if (!width || !x) return;
    const ratio = devicePixelRatio || 1, pen = canvas.getContext("2d");
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    pen.scale(ratio, ratio);
    const rows = [];
    for (let row = 0; row < count; row++) if (isShown(row)) rows.push(row);
    const scale = {x: rangeOf(x.values, rows), y: rangeOf(y.values, rows)};
    scale.px = (v) => MARGIN.left + (v - scale.x[0]) / (scale.x[1] - scale.x[0]) * (width - MARGIN.left - MARGIN.right);
    scale.py = (v) => height - MARGIN.bottom - (v - scale.y[0]) / (scale.y[1] - scale.y[0]) * (height - MARGIN.top - MARGIN.bottom);
    px = Array.from(x.values, scale.px);
    py = Array.from(y.values, scale.py);
    pen.fillStyle = colour("stage");
    pen.fillRect(MARGIN.left, MARGIN.top, width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom);
    axes(pen, width, scale);
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, MARGIN.top, width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom);
    pen.clip();
    if (options.background?.()) regions(pen, width, rows);
    if (options.joined?.()) lines(pen, rows);
    dots(pen, rows, rows.length > 4000 ? 1.3 : rows.length > 800 ? 2 : 3.2);
    pen.restore();
    if (chosen >= 0 && isShown(chosen)) {
      pen.strokeStyle = colour("ink");
      pen.lineWidth = 2;
      pen.beginPath(); pen.arc(px[chosen], py[chosen], 7, 0, 7); pen.stroke();
    }
  }

  function rowAt(event) {
    const box = canvas.getBoundingClientRect(), u = event.clientX - box.left, v = event.clientY - box.top;
    let best = -1, least = 18 ** 2;
    for (let row = 0; row < count; row++) {
      if (!isShown(row)) continue;
      const distance = (px[row] - u) ** 2 + (py[row] - v) ** 2;
      if (distance < least) [best, least] = [row, distance];
    }
    return best;
  }

  canvas.addEventListener("pointermove", (event) => {
    const row = rowAt(event);
    hint.hidden = row < 0;
    if (row < 0) return;
    const shown = [...new Set([...parameters.slice(0, 6), x, y])];
    hint.replaceChildren(el("b", {}, hasFailed[row] ? textAt("message", row) : sequenceName(textAt("sequence", row))),
      ...shown.map((c) => el("div", {}, `${c.name} = ${formatNumber(c.values[row], 6)}`)));
    const right = px[row] > element.clientWidth / 2;
    hint.style.left = right ? "auto" : `${px[row] + 14}px`;
    hint.style.right = right ? `${element.clientWidth - px[row] + 14}px` : "auto";
    hint.style.top = `${Math.max(0, py[row] - 20)}px`;
  });
  canvas.addEventListener("pointerleave", () => { hint.hidden = true; });
  canvas.addEventListener("click", (event) => {
    const row = rowAt(event);
    if (row >= 0) options.pick?.(row);
  });
  new ResizeObserver(draw).observe(element);
  onTheme(draw);
  return {
    element,
    show(toX, toY) { [x, y] = [toX, toY]; draw(); },
    hide(groups) { hidden = groups; draw(); },
    choose(row) { chosen = row; draw(); },
  };
}
