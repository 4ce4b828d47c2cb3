import { autocompletion, completionKeymap, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, Prec, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem } from "./api";
import { offset } from "./live";
import { at, meaning, names, values, type Choice, type Meaning, type Schema } from "./schema";
import { keyAt, keys, placeAt } from "./yaml";

// The editor of scenarios: what may be written and what it means is the schema's, what is wrong is said by the server.

const style = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--mark)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--muted)" },
]);

const theme = EditorView.theme({
  "&": { color: "inherit", backgroundColor: "var(--soft)", border: "1px solid var(--rule)", borderRadius: "4px", fontSize: ".84rem", maxHeight: "34rem" },
  "&.cm-focused": { outline: "2px solid var(--mark)", outlineOffset: "1px" },
  ".cm-scroller": { font: "inherit", fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", lineHeight: "1.45", minHeight: "24rem" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--soft)", color: "var(--muted)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--mark) 8%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "color-mix(in srgb, var(--mark) 28%, transparent)" },
  ".cm-tooltip": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--muted)", borderRadius: "4px", maxWidth: "30rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "ui-monospace, monospace" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--mark)", color: "var(--paper)" },
  ".cm-completionInfo, .cm-explained": { padding: "6px 10px", whiteSpace: "pre-wrap", fontSize: ".8rem" },
  ".cm-panels": { backgroundColor: "var(--soft)", color: "var(--ink)" },
});

// explained is what a key means, for people.
export function explained(name: string, m: Meaning): HTMLElement {
  const box = document.createElement("div");
  box.className = "cm-explained";
  const line = (head: string, text?: string) => {
    if (!text) return;
    const p = document.createElement("div");
    const b = document.createElement("b");
    b.textContent = head;
    p.append(b, text);
    box.append(p);
  };
  line(`${name}: `, m.says);
  line("Default: ", m.default);
  line("Accepts: ", m.accepts);
  line("Source: ", m.source);
  return box;
}

export const inWords = (m: Meaning): string => [m.says, m.default && `default ${m.default}`, m.accepts && `accepts ${m.accepts}`, m.source && `source: ${m.source}`]
  .filter(Boolean).join("; ");

// completions are what may be written at a place: keys that are not there yet, or values with names.
export function completions(schema: Schema, text: string, pos: number, explicit: boolean): CompletionResult | null {
  const p = placeAt(text, pos);
  if (pos < p.from || (!explicit && p.key && pos === p.from)) return null;
  if (!p.key) {
    const all = values(schema, p.path);
    if (!all.length) return null;
    return { from: p.from, options: all.map((c) => ({ label: c.text, type: "enum", detail: c.default ? "default" : undefined })), validFor: /^[\w./-]*$/ };
  }
  const here = p.path.join("\0");
  const there = new Set(keys(text).filter((k) => k.path.join("\0") === here && k.from !== p.from).map((k) => k.name));
  const start = text.lastIndexOf("\n", p.from - 1) + 1;
  const block = /^[\s-]*$/.test(text.slice(start, p.from));
  const after = text.slice(pos);
  const written = /^[\w]*\s*:/.test(after);
  const option = (c: Choice): Completion => ({
    label: c.text, type: "property", detail: c.required ? "required" : c.meaning?.default && `default ${c.meaning.default}`, boost: c.required ? 1 : 0,
    apply: written ? c.text : c.opens && block ? `${c.text}:\n${" ".repeat(p.from - start + 2)}` : `${c.text}: `,
    info: c.meaning ? () => explained(c.text, c.meaning!) : undefined,
  });
  const all = names(schema, p.path).filter((c) => !there.has(c.text));
  return all.length ? { from: p.from, options: all.map(option), validFor: /^\w*$/ } : null;
}

// The word or line that a problem is about.
export function diagnostics(text: string, problems: Problem[]): Diagnostic[] {
  const out: Diagnostic[] = [];
  for (const p of problems) {
    if (!p.line || p.file !== "scenario.yaml") continue;
    const from = offset(text, p.line, p.column ?? 1);
    const word = /^[^\s,{}[\]#]+/.exec(text.slice(from, from + 200))?.[0] ?? "";
    out.push({ from, to: Math.min(text.length, from + Math.max(word.length, 1)), severity: p.severity === "error" ? "error" : "warning",
      message: `${p.path ? `${p.path}: ` : ""}${p.message}${p.hint ? `; ${p.hint}` : ""}` });
  }
  return out.sort((a, b) => a.from - b.from);
}

export interface Told {
  changed: (text: string) => void;
  run: () => void;
  at: (meaning: { name: string; says: string } | null) => void; // of the key that the cursor is in the line of
}

export interface Editor {
  set(text: string): void;
  problems(all: Problem[]): void;
  goTo(line: number, column: number): void;
  end(): void;
}

export function make(parent: HTMLElement, text: string, schema: Schema, told: Told): Editor {
  const cursor = (view: EditorView) => {
    const doc = view.state.doc.toString(), pos = view.state.selection.main.head, line = view.state.doc.lineAt(pos);
    const inLine = keys(doc).filter((k) => k.from >= line.from && k.from <= line.to);
    const k = inLine.findLast((x) => x.from <= pos) ?? inLine[0];
    const m = k && meaning(at(schema, [...k.path, k.name]));
    told.at(m ? { name: [...k.path, k.name].join("."), says: inWords(m) } : null);
  };
  const extensions: Extension[] = [
    Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (told.run(), true) }])),
    lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), history(), drawSelection(), indentOnInput(), indentUnit.of("  "),
    EditorState.tabSize.of(2), yaml(), syntaxHighlighting(style), theme, lintGutter(), search({ top: true }), highlightSelectionMatches(),
    autocompletion({ override: [(c: CompletionContext) => completions(schema, c.state.doc.toString(), c.pos, c.explicit)], icons: false }),
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({ id: "scenario", "aria-label": "The scenario", "aria-describedby": "verdict means", spellcheck: "false", autocapitalize: "off" }),
    hoverTooltip((view, pos) => {
      const k = keyAt(view.state.doc.toString(), pos), m = k && meaning(at(schema, [...k.path, k.name]));
      return m ? { pos: k.from, end: k.to, create: () => ({ dom: explained([...k.path, k.name].join("."), m) }) } : null;
    }),
    EditorView.updateListener.of((u) => {
      if (u.docChanged) told.changed(u.state.doc.toString());
      if (u.docChanged || u.selectionSet) cursor(u.view);
    }),
  ];
  const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
  cursor(view);
  return {
    set(next) {
      if (next !== view.state.doc.toString()) view.setState(EditorState.create({ doc: next, extensions }));
      cursor(view);
    },
    problems(all) {
      view.dispatch(setDiagnostics(view.state, diagnostics(view.state.doc.toString(), all)));
    },
    goTo(line, column) {
      const doc = view.state.doc.toString(), from = offset(doc, line, column);
      const end = doc.indexOf("\n", from);
      view.dispatch({ selection: { anchor: from, head: end < 0 ? doc.length : end }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    end: () => view.destroy(),
  };
}
