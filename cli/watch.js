// The script that `saltus report --watch` adds to its page: reloads the page when it was made anew, keeps sliders,
// place and time, and shows errors of the script until they are corrected.
(() => {
  const version = document.currentScript.dataset.version;
  const kept = "saltus-watch";
  const note = document.createElement("pre");
  note.id = "watch-note";
  note.setAttribute("role", "alert");
  Object.assign(note.style, {position: "fixed", left: "0", right: "0", bottom: "0", zIndex: "1000", margin: "0", padding: "12px 16px",
    maxHeight: "40vh", overflow: "auto", whiteSpace: "pre-wrap", font: "13px/1.5 monospace", color: "#fff", background: "#8c1d18"});
  const say = (text) => {
    note.textContent = text;
    if (text) document.body.append(note);
    else note.remove();
  };
  const keep = () => {
    const page = window.saltus;
    const state = {x: scrollX, y: scrollY};
    if (page?.clock) Object.assign(state, {t: page.clock.t, playing: page.clock.playing});
    if (page?.whatif) state.change = page.data.wrt.map((p, k) => [p.name ?? p, page.whatif.change[k]]);
    sessionStorage.setItem(kept, JSON.stringify(state));
  };
  const restore = () => {
    const text = sessionStorage.getItem(kept);
    sessionStorage.removeItem(kept);
    if (!text) return;
    const state = JSON.parse(text), page = window.saltus;
    if (page?.whatif)
      page.data.wrt.forEach((p, k) => {
        const change = state.change?.find(([name]) => name === (p.name ?? p))?.[1];
        if (change) page.whatif.set(k, change);
      });
    if (page?.clock && state.t !== undefined) {
      if (!state.playing) page.clock.pause();
      page.clock.set(state.t);
    }
    requestAnimationFrame(() => scrollTo(state.x, state.y));
  };
  history.scrollRestoration = "manual";
  addEventListener("DOMContentLoaded", restore);
  const events = new EventSource("/events");
  let broken = "";
  events.addEventListener("page", (e) => {
    if (e.data === version) return say(broken = "");
    keep();
    location.reload();
  });
  events.addEventListener("wrong", (e) => say(broken = e.data));
  events.onerror = () => say("saltus is not watching any more: the page stays as it is.");
  events.onopen = () => say(broken);
})();
