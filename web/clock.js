// The time that the whole page shows. The animation, the plots' cursors and the tables follow it;
// each of them can also move it.

const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export function makeClock(start, end) {
  const listeners = [];
  const clock = {start, end, t: start, playing: false, looping: false, speeds, speed: 1};
  const span = end - start;
  // A run should take some six seconds to watch.
  clock.speed = speeds.reduce((best, s) =>
    (Math.abs(Math.log(span / s / 6)) < Math.abs(Math.log(span / best / 6)) ? s : best), 1);
  let last = null;

  const tell = () => listeners.forEach((listener) => listener(clock));
  clock.listen = (listener) => listeners.push(listener);
  clock.set = (t) => {
    clock.t = Math.min(clock.end, Math.max(start, t));
    tell();
  };
  clock.setEnd = (t) => {
    clock.end = t;
    clock.set(clock.t);
  };
  function frame(now) {
    if (!clock.playing) return;
    if (last !== null) {
      let t = clock.t + (now - last) / 1000 * clock.speed;
      if (t >= clock.end) {
        if (clock.looping && span > 0) t = start;
        else {
          t = clock.end;
          clock.playing = false;
        }
      }
      clock.t = t;
      tell();
    }
    last = now;
    if (clock.playing) requestAnimationFrame(frame);
  }
  clock.play = () => {
    if (clock.playing || !(span > 0)) return;
    if (clock.t >= clock.end) clock.t = start;
    clock.playing = true;
    last = null;
    tell();
    requestAnimationFrame(frame);
  };
  clock.pause = () => {
    clock.playing = false;
    tell();
  };
  clock.toggle = () => (clock.playing ? clock.pause() : clock.play());
  return clock;
}
