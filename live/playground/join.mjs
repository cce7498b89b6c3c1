// Puts the playground together, one page without anything beside it:
//     node join.mjs SOURCE BUILD OUT
// from web/playground.html of the sources, and in the build folder live/playground.{js,css}, the engine's parts in live/,
// the page of the report, pages/report.html, and the licences of the editor's packages in live/npm.
import {createHash} from "node:crypto";
import {readdirSync, readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {gunzipSync, gzipSync} from "node:zlib";

const [source, build, out] = process.argv.slice(2);
const read = (...path) => readFileSync(join(...path), "utf8");
const nonce = "editor"; // of the styles that CodeMirror makes while it runs

// A function as replacement: in a text, dollar signs would mean something.
const put = (page, parts) => Object.entries(parts).reduce((text, [mark, part]) => text.replaceAll(`@SALTUS-${mark}@`, () => part), page);

// Scripts and styles that stand in a page; those with an id are data.
const hashes = (tag, ...pages) => pages.flatMap((page) => [...page.matchAll(new RegExp(`<${tag}(?: type="module")?>(.*?)</${tag}>`, "gs"))])
  .map(([, text]) => ` 'sha256-${createHash("sha256").update(text).digest("base64")}'`).join("");

function licences() {
  const modules = join(build, "live/npm/node_modules"), names = Object.keys(JSON.parse(read(modules, ".package-lock.json")).packages);
  const editor = names.map((name) => `${name.replace(/^node_modules\//, "")}\n\n${read(build, "live/npm", name, "LICENSE")}`);
  return [gunzipSync(readFileSync(join(build, "live/licences.txt.gz"))).toString(), "The editor, CodeMirror:\n", ...editor].join("\n");
}

const models = Object.fromEntries(readdirSync(join(source, "models")).filter((file) => file.endsWith(".lua")).sort()
  .map((file) => [file.slice(0, -4), read(source, "models", file)]));
const page = put(read(source, "web/playground.html"), {SCRIPT: read(build, "live/playground.js"), STYLE: read(build, "live/playground.css")});
const report = put(read(build, "pages/report.html"), {TITLE: "Playground", ABOUT: "", DATA: "", ENGINE: ""});
// The report stands in a frame, for which the policy of the page around it holds, too.
const policy = {SCRIPTS: `${hashes("script", page, report)} 'wasm-unsafe-eval'; worker-src blob:`, STYLES: `${hashes("style", page, report)} 'nonce-${nonce}'`};
const data = (id, bytes) => `<script type="text/plain" id="${id}">${bytes.toString("base64")}</script>`;
const packed = (text) => gzipSync(text, {level: 9});
const parts = [
  data("live-engine", readFileSync(join(build, "live/engine.wasm.gz"))), data("live-worker", readFileSync(join(build, "live/worker.js.gz"))),
  data("live-licences", packed(licences())), data("models", packed(JSON.stringify(models))), data("report-page", packed(put(report, policy))),
];
writeFileSync(out, put(page, {...policy, NONCE: nonce, PARTS: parts.join("\n")}));
