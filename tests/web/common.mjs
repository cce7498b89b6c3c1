// What the tests of the report share: reports of models, and their data.
import {execFile} from "node:child_process";
import {mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {dirname, join, resolve} from "node:path";

export const saltus = process.env.SALTUS;
export const source = process.env.SALTUS_SOURCE;
export const folder = resolve("reports");
export const pictures = resolve("screenshots");
export const page = resolve("page"); // the page's modules
export const playground = join(dirname(saltus), "live/playground.html"); // where it was built (make live)
mkdirSync(folder, {recursive: true});
mkdirSync(pictures, {recursive: true});

export const model = (name) => join(source, "models", `${name}.lua`);

// Runs the program with a text as input, for a minute at most; {status, out, err}. The browser goes on meanwhile.
const runWith = (input, words) => new Promise((done, fail) => {
  const child = execFile(saltus, words, {encoding: "utf8", maxBuffer: 1 << 28, cwd: folder, timeout: 60000}, (error, out, err) => {
    if (error && typeof error.code !== "number") fail(new Error(`saltus ${words.join(" ")}: ${error.message}`));
    else done({status: error ? error.code : 0, out, err});
  });
  child.stdin.on("error", () => {}); // it did not read all of it
  child.stdin.end(input);
});
export const run = (...words) => runWith("", words);

// One answer of a command for each set of parameters.
export async function lines(command, sets, ...words) {
  if (!sets.length) return [];
  const {out, err} = await runWith(sets.map((set) => `${JSON.stringify(set)}\n`).join(""), [command, ...words, "--jsonl", "--params", "-"]);
  const answers = out.trim().split("\n").map((line) => JSON.parse(line));
  if (answers.length !== sets.length) throw new Error(`saltus ${command} ${words.join(" ")}: ${answers.length} answers to ${sets.length} lines; ${err}`);
  return answers;
}

export async function json(...words) {
  const {status, out, err} = await run(...words, "--json");
  if (status !== 0) throw new Error(`saltus ${words.join(" ")}: ${err}`);
  return JSON.parse(out);
}

// The report of a script: its path, which says so if the run could not go on. The script is a file, or text.
export async function report(name, script, ...options) {
  const asked = join(folder, `${name}.html`);
  let file = script;
  if (script.includes("\n")) {
    file = join(folder, `${name}.lua`);
    writeFileSync(file, script);
  }
  const done = await run("report", file, "-o", asked, "--quiet", "--static", ...options);
  const path = done.status === 0 ? asked : join(folder, `${name}.part.html`);
  return {path, file, ...done};
}

export function dataOf(path) {
  const page = readFileSync(path, "utf8");
  const start = page.indexOf('id="data">') + 10;
  return page.slice(start, page.indexOf("</script>", start));
}

export const columnsOf = (csv) => {
  const [head, ...lines] = csv.trim().split("\n");
  const names = head.split(",");
  const rows = lines.map((line) => line.split(","));
  return Object.fromEntries(names.map((name, i) => [name, rows.map((row) => (name === "mode" ? row[i] : Number(row[i])))]));
};
