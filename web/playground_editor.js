// The editor of the playground: CodeMirror with Lua.
import {defaultKeymap, history, historyKeymap, indentWithTab} from "@codemirror/commands";
import {bracketMatching, HighlightStyle, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting} from "@codemirror/language";
import {lua} from "@codemirror/legacy-modes/mode/lua";
import {lintGutter, setDiagnostics} from "@codemirror/lint";
import {EditorState} from "@codemirror/state";
import {drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers} from "@codemirror/view";
import {tags} from "@lezer/highlight";

// Colours are those of the style sheet, light and dark.
const colours = HighlightStyle.define([
  {tag: tags.keyword, color: "var(--keyword)"}, {tag: tags.string, color: "var(--string)"}, {tag: [tags.number, tags.atom, tags.bool], color: "var(--number)"},
  {tag: tags.comment, color: "var(--muted)", fontStyle: "italic"}, {tag: tags.standard(tags.variableName), color: "var(--accent)"},
]);
const look = EditorView.theme({
  "&": {height: "100%", backgroundColor: "var(--panel)", color: "var(--ink)", fontSize: "13.5px"},
  "&.cm-focused": {outline: "none"},
  ".cm-scroller": {fontFamily: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace', lineHeight: "1.55"},
  ".cm-content": {padding: "10px 0", caretColor: "var(--ink)"},
  ".cm-gutters": {backgroundColor: "var(--panel)", color: "var(--muted)", border: "none", paddingLeft: "6px"},
  ".cm-activeLine, .cm-activeLineGutter": {backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)"},
  ".cm-cursor": {borderLeftColor: "var(--ink)"},
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {backgroundColor: "color-mix(in srgb, var(--accent) 24%, transparent)"},
  ".cm-lintRange-error": {backgroundImage: "none", backgroundColor: "color-mix(in srgb, var(--bad) 14%, transparent)", boxShadow: "inset 0 -2px var(--bad)"},
  ".cm-tooltip": {backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)"},
});

// {read(), write(text), mark(error), goTo(line)}; changed() is called after every change. error: {line, message} or null.
export function makeEditor(parent, nonce, changed) {
  const view = new EditorView({parent, state: EditorState.create({extensions: [
    EditorView.cspNonce.of(nonce), lineNumbers(), lintGutter(), history(), drawSelection(), indentUnit.of("  "), indentOnInput(), bracketMatching(),
    highlightActiveLine(), highlightActiveLineGutter(), StreamLanguage.define(lua), syntaxHighlighting(colours), look,
    keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]), EditorView.contentAttributes.of({"aria-label": "The model, in Lua", tabindex: "0"}),
    EditorView.updateListener.of((update) => update.docChanged && changed()),
  ]})});
  const lineAt = (number) => view.state.doc.line(Math.min(Math.max(1, number), view.state.doc.lines));
  function mark(error) {
    const line = error?.line ? lineAt(error.line) : null;
    const from = line ? line.from + line.text.search(/\S|$/) : 0;
    view.dispatch(setDiagnostics(view.state, line ? [{from, to: line.to, severity: "error", message: error.message}] : []));
  }
  function goTo(number) {
    view.dispatch({selection: {anchor: lineAt(number).from}, effects: EditorView.scrollIntoView(lineAt(number).from, {y: "center"})});
    view.focus();
  }
  function write(text) {
    view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}, selection: {anchor: 0}});
    view.scrollDOM.scrollTop = 0;
  }
  return {read: () => view.state.doc.toString(), write, mark, goTo};
}
