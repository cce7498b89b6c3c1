// What the tests of the report share: reports of models, their data, a browser.
import {execFileSync, spawnSync} from "node:child_process";
import {mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {join, resolve} from "node:path";

export const saltus = process.env.SALTUS;
export const source = process.env.SALTUS_SOURCE;
export const folder = resolve("reports");
export const pictures = resolve("screenshots");
mkdirSync(folder, {recursive: true});
mkdirSync(pictures, {recursive: true});

export const model = (name) => join(source, "models", `${name}.lua`);

// Runs the program; {status, out, err}.
export function run(...words) {
  const done = spawnSync(saltus, words, {encoding: "utf8", maxBuffer: 1 << 28, cwd: folder});
  return {status: done.status, out: done.stdout, err: done.stderr};
}

export const json = (...words) =>
  JSON.parse(execFileSync(saltus, [...words, "--json"], {encoding: "utf8", maxBuffer: 1 << 28, cwd: folder}));

// The report of a script: its path. The script is a file, or text.
export function report(name, script, ...options) {
  const path = join(folder, `${name}.html`);
  let file = script;
  if (script.includes("\n")) {
    file = join(folder, `${name}.lua`);
    writeFileSync(file, script);
  }
  const done = run("report", file, "-o", path, "--quiet", ...options);
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
