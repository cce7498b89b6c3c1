// The view of the stage: the whole motion, zoomed and moved, or following what moves.

const most = 200, least = 0.2;

export function makeCamera(changed) {
  const camera = {zoom: 1, x: 0, y: 0, follow: false}; // x, y: the shift, in pixels of the stage without zoom
  camera.isMoved = () => camera.zoom !== 1 || camera.x !== 0 || camera.y !== 0 || camera.follow;
  camera.reset = () => {
    Object.assign(camera, {zoom: 1, x: 0, y: 0, follow: false});
    changed();
  };
  // px, py: the pointer from the middle of the stage. The place under it stays there.
  camera.zoomBy = (factor, px = 0, py = 0) => {
    const zoom = Math.min(most, Math.max(least, camera.zoom * factor)), by = 1 / camera.zoom - 1 / zoom;
    camera.x += px * by;
    camera.y += py * by;
    camera.zoom = zoom;
    changed();
  };
  camera.moveBy = (px, py) => {
    camera.x -= px / camera.zoom;
    camera.y -= py / camera.zoom;
    changed();
  };
  camera.setFollow = (on) => {
    Object.assign(camera, {follow: on, x: 0, y: 0});
    changed();
  };
  return camera;
}

// Dragging moves, two fingers or the wheel with Ctrl zoom. A swipe up or down scrolls the page, as everywhere;
// where the stage is zoomed, one finger moves it. click() is called for other presses.
export function steerWith(canvas, camera, click) {
  const fingers = new Map();
  let moved = 0, gap = 0;
  const middle = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
  };
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    fingers.set(event.pointerId, middle(event));
    if (fingers.size === 1) moved = 0;
    if (fingers.size === 2) gap = spread();
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const now = middle(event), dx = now[0] - last[0], dy = now[1] - last[1];
    fingers.set(event.pointerId, now);
    moved += Math.abs(dx) + Math.abs(dy);
    if (fingers.size === 2) {
      const wide = spread(), [a, b] = [...fingers.values()];
      if (gap > 0) camera.zoomBy(wide / gap, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
      gap = wide;
    } else if (moved > 4) camera.moveBy(dx, dy);
  });
  const end = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    if (event.type === "pointerup" && moved <= 4 && fingers.size === 0) click();
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    camera.zoomBy(Math.exp(-event.deltaY / 200), ...middle(event));
  }, {passive: false});
}
