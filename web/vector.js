// A drawing surface that writes SVG: it has the part of a canvas's 2D context that the page draws with, so that
// one function draws on the screen, for PNG files and for SVG files.

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"})[c]);
const short = (value) => String(Math.round(value * 100) / 100);

export function makeVector(width, height) {
  const parts = [], stack = [];
  let matrix = [1, 0, 0, 1, 0, 0], path = "", dash = [];
  const g = {fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineCap: "butt", lineJoin: "miter", globalAlpha: 1,
    font: "12px sans-serif", textAlign: "left", textBaseline: "alphabetic"};
  const kept = Object.keys(g);
  const at = (x, y) => [matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]];
  const spot = (x, y) => at(x, y).map(short).join(" ");
  const scale = () => Math.hypot(matrix[0], matrix[1]);
  const alpha = () => (g.globalAlpha < 1 ? ` opacity="${short(g.globalAlpha)}"` : "");
  const multiply = (a, b, c, d, e, f) => {
    const [A, B, C, D] = matrix, [x, y] = at(e, f);
    matrix = [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, x, y];
  };
  const put = (tag) => parts.push(tag);

  Object.assign(g, {
    save() { stack.push({matrix, dash, state: kept.map((name) => g[name])}); },
    restore() {
      const last = stack.pop();
      if (!last) return;
      ({matrix, dash} = last);
      kept.forEach((name, i) => (g[name] = last.state[i]));
    },
    setTransform(...m) { matrix = m; },
    scale(x, y) { multiply(x, 0, 0, y, 0, 0); },
    translate(x, y) { multiply(1, 0, 0, 1, x, y); },
    rotate(angle) { multiply(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0); },
    setLineDash(list) { dash = list; },
    beginPath() { path = ""; },
    moveTo(x, y) { path += `M${spot(x, y)}`; },
    lineTo(x, y) { path += `${path ? "L" : "M"}${spot(x, y)}`; },
    closePath() { path += "Z"; },
    rect(x, y, w, h) { path += `M${spot(x, y)}L${spot(x + w, y)}L${spot(x + w, y + h)}L${spot(x, y + h)}Z`; },
    arc(x, y, r, from, to) {
      const point = (a) => spot(x + r * Math.cos(a), y + r * Math.sin(a)), radius = short(r * scale());
      const half = (a, b) => `A${radius} ${radius} 0 ${b - a > Math.PI ? 1 : 0} 1 ${point(b)}`;
      path += `${path ? "L" : "M"}${point(from)}`;
      // One arc cannot be a whole circle.
      path += to - from > 6.28 ? half(from, from + Math.PI) + half(from + Math.PI, to - 1e-4) + "Z" : half(from, to);
    },
    clip() {},
    stroke() {
      if (path) put(`<path d="${path}" fill="none" stroke="${escaped(g.strokeStyle)}" stroke-width="${short(g.lineWidth * scale())}" stroke-linecap="${g.lineCap}" stroke-linejoin="${g.lineJoin}"${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}${alpha()}/>`);
    },
    fill() { if (path) put(`<path d="${path}" fill="${escaped(g.fillStyle)}"${alpha()}/>`); },
    fillRect(x, y, w, h) {
      g.beginPath(), g.rect(x, y, w, h), g.fill();
    },
    measureText: (text) => ({width: 0.58 * parseFloat(g.font.match(/[\d.]+(?=px)/)?.[0] ?? 12) * String(text).length}),
    fillText(text, x, y) { g.text(text, x, y, `fill="${escaped(g.fillStyle)}"`); },
    strokeText(text, x, y) { g.text(text, x, y, `fill="none" stroke="${escaped(g.strokeStyle)}" stroke-width="${g.lineWidth}" stroke-linejoin="round"`); },
    text(text, x, y, paint) {
      const anchor = {left: "start", center: "middle", right: "end"}[g.textAlign] ?? "start", [px, py] = at(x, y);
      const size = g.font.match(/[\d.]+(?=px)/)?.[0] ?? 12, base = {middle: 0.35, top: 0.8}[g.textBaseline] ?? 0;
      const turn = Math.atan2(matrix[1], matrix[0]) * 180 / Math.PI;
      put(`<text x="${short(px)}" y="${short(py)}" dy="${short(base * size)}" font-size="${size}" text-anchor="${anchor}"${turn ? ` transform="rotate(${short(turn)} ${short(px)} ${short(py)})"` : ""} ${paint}${alpha()}>${escaped(text)}</text>`);
    },
    svg: () => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${short(width)} ${short(height)}" width="${short(width)}" height="${short(height)}" font-family="system-ui, sans-serif">${parts.join("")}</svg>`,
  });
  return g;
}
