// The playground: an editor with a model, and its report beside it. The model is run in a worker of the page whenever it
// has changed. The report is the page of `saltus report` in a frame, which finds its data in window.guest (host.js).
import {el} from "./dom.js";
import {inflateText, readLicences, startEngine} from "./live_engine.js";
import {makeEditor} from "./playground_editor.js";
import {pack, readHash, unpack, writeHash} from "./playground_share.js";
import {readState, writeState} from "./state.js";

const pause = 400; // milliseconds without a change before the model runs
const longest = 20000; // limit on the milliseconds of a run
const first = "bouncing_ball";

// Runs scripts, one at a time. A newer one ends the present run, which then resolves to null; otherwise
// {report, error}, of which one may be null.
function makeRunner() {
  let engine = null, present = null, newest = 0;
  async function simulate(file, script, files) {
    engine ??= await startEngine();
    const words = ["report", file];
    const opened = await engine.ask("open", {files: {...files, [file]: script}, words});
    if (opened.error) return {report: null, error: opened.error};
    const answer = await engine.ask("run", {values: opened.model.params.map(({value}) => value), depth: 1, milliseconds: longest});
    if (answer.error) return {report: null, error: answer.error};
    const error = answer.result.error ?? null, cut = error?.status === "ERR_INTERRUPTED";
    return {error: cut ? {...error, message: `This run takes too long for a page: it was cut after ${longest / 1000} s. ${error.message}`} : error,
      report: {format: 1, ...opened, ...answer, checks: null, trust: null, taylor: null, truth: null, other: null, comparison: null, live: {file, arguments: words, files}}};
  }
  return async (file, script, files) => {
    const number = ++newest;
    if (present) engine?.end();
    await present;
    if (number !== newest) return null;
    present = simulate(file, script, files).catch((failure) => {
      engine = null;
      return number === newest ? {report: null, error: {message: failure.message}} : null;
    }).finally(() => (present = null));
    return present;
  };
}

// Shows reports: the next one is loaded behind the present one, which is then removed. The place, time and
// plots that the reader has chosen stay, unless it is another model; parameters are those of the script again.
function makeShow(parent) {
  const guest = (window.guest = {report: null, state: ""});
  let page = null, model = null;
  return async (report, name) => {
    page ??= await inflateText("report-page");
    const old = [...parent.querySelectorAll("iframe")], same = name === model, last = old.at(-1)?.contentWindow;
    const {t, plots} = same ? readState(guest.state) : {}, place = same ? last?.scrollY ?? 0 : 0;
    Object.assign(guest, {report, state: writeState({t, plots})});
    model = name;
    const frame = el("iframe", {class: "coming", title: "The report", onload: () => {
      frame.contentWindow.scrollTo({top: place, behavior: "instant"});
      frame.classList.remove("coming");
      old.forEach((one) => one.remove());
    }});
    frame.srcdoc = page;
    parent.append(frame);
  };
}

function makeLicences() {
  const text = el("pre", {tabindex: 0});
  const sheet = el("dialog", {class: "licences", "aria-label": "Licences"},
    el("header", {}, el("h2", {}, "What is in this page"), el("button", {type: "button", onclick: () => sheet.close()}, "Close")), text);
  const button = el("button", {type: "button", class: "plain", id: "licences", onclick: async () => {
    sheet.showModal();
    text.textContent ||= await readLicences();
  }}, "Licences");
  return {sheet, button};
}

// Files of the reader's machine that scripts can read with data and include, for as long as the page is open:
// {texts(), button}.
function makeFiles(changed) {
  const texts = {};
  const input = el("input", {type: "file", multiple: true, accept: ".csv,.lua", id: "choose-files", hidden: true, onchange: async () => {
    for (const file of input.files) texts[file.name] = await file.text();
    input.value = "";
    const names = Object.keys(texts);
    button.textContent = `Files: ${names.length}`;
    button.title = `Scripts can read ${names.join(", ")}. They stay in this page, and are not in its address.`;
    changed();
  }});
  const button = el("button", {type: "button", id: "files", title: "Add files that the script reads with data or include", onclick: () => input.click()}, "Files");
  return {texts: () => ({...texts}), button: [button, input]};
}

async function build() {
  const models = JSON.parse(await inflateText("models"));
  const status = el("span", {class: "status", role: "status"}, "Starting \u2026");
  const message = el("p", {class: "message", role: "alert", hidden: true});
  const holder = el("div", {class: "editor"}), show = el("div", {class: "show"}), licences = makeLicences();
  const files = makeFiles(() => begin(0));
  const choice = el("select", {id: "model", onchange: () => choose(choice.value)}, Object.keys(models).map((name) => el("option", {value: name}, name.replaceAll("_", " "))));
  const share = el("button", {type: "button", id: "share", onclick: copyAddress}, "Share");
  document.getElementById("playground").replaceChildren(
    el("header", {class: "top"}, el("h1", {}, "Saltus ", el("span", {}, "playground")), el("label", {}, "Model ", choice), files.button, share, status, licences.button),
    el("main", {class: "panes"}, el("section", {class: "write", "aria-label": "Script"}, holder, message), el("section", {class: "result", "aria-label": "Report"}, show)), licences.sheet);

  const simulate = makeRunner(), present = makeShow(show);
  let name = first, timer = null;
  const editor = makeEditor(holder, document.documentElement.dataset.nonce, () => begin(pause));

  function begin(later) {
    say("working", "Running \u2026");
    clearTimeout(timer);
    timer = setTimeout(run, later);
  }

  function say(state, text) {
    status.dataset.state = state;
    status.textContent = text;
  }
  function complain(error) {
    editor.mark(error);
    message.hidden = !error;
    const at = error?.line && el("button", {type: "button", onclick: () => editor.goTo(error.line)}, `Line ${error.line}`);
    const hint = /cannot read '/.test(error?.message) && "\nFiles, above, adds a file to the page.";
    message.replaceChildren(...(error ? [at, at && ": ", error.message, hint].filter(Boolean) : []));
  }
  async function run() {
    const script = editor.read(), began = performance.now();
    keepAddress(script);
    const done = await simulate(`${name}.lua`, script, files.texts());
    if (!done || script !== editor.read()) return;
    complain(done.error);
    show.classList.toggle("stale", !done.report);
    if (done.report) await present(done.report, name);
    say(done.error ? "bad" : "good", done.error ? "There is a mistake" : `Ran in ${Math.round(performance.now() - began)} ms`);
  }
  async function keepAddress(script) {
    const hash = writeHash(name, script === models[name] ? null : await pack(script));
    if (script === editor.read()) history.replaceState(null, "", hash);
  }
  function choose(which, script = models[which]) {
    name = choice.value = which;
    editor.write(script);
  }
  async function copyAddress() {
    await keepAddress(editor.read());
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    share.textContent = copied ? "Address copied" : "It is in the address bar";
    setTimeout(() => (share.textContent = "Share"), 2000);
  }
  async function readAddress() {
    const {model, code} = readHash(location.hash), known = Object.hasOwn(models, model ?? "") ? model : first;
    if (!code) return choose(known);
    choose(known, await unpack(code).catch(() => "-- The address is incomplete: the model in it cannot be read.\n-- Choose one above, or get the whole address again.\n"));
  }
  addEventListener("hashchange", readAddress);
  window.playground = {editor, status, models}; // for tests and debugging
  await readAddress();
}

build();
