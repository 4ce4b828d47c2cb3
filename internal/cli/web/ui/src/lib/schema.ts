import type { Path } from "./yaml";

// What the JSON Schema of scenarios says of a place: what may be written there, and what it means.

export interface Schema {
  $ref?: string; $defs?: Record<string, Schema>; description?: string; type?: string; default?: unknown; enum?: unknown[]; const?: unknown;
  properties?: Record<string, Schema>; additionalProperties?: boolean | Schema; items?: Schema; required?: string[];
  anyOf?: Schema[]; oneOf?: Schema[];
}

// meant are the schemas that a value may follow: references resolved, alternatives apart.
function meant(root: Schema, s: Schema, seen = new Set<Schema>()): Schema[] {
  if (seen.has(s)) return [];
  seen.add(s);
  const own = [s];
  if (s.$ref) {
    const name = s.$ref.replace("#/$defs/", "");
    if (root.$defs?.[name]) own.push(...meant(root, root.$defs[name], seen));
  }
  for (const x of [...(s.anyOf ?? []), ...(s.oneOf ?? [])]) own.push(...meant(root, x, seen));
  return own;
}

// below are the schemas of a key or an item of what follows others.
function below(all: Schema[], step: string | number): Schema[] {
  const out: Schema[] = [];
  for (const s of all) {
    if (typeof step === "number") {
      if (s.items) out.push(s.items);
    } else if (s.properties?.[step]) out.push(s.properties[step]);
    else if (typeof s.additionalProperties === "object") out.push(s.additionalProperties);
  }
  return out;
}

// at are the schemas of a place.
export function at(root: Schema, path: Path): Schema[] {
  let all = meant(root, root);
  for (const step of path) all = below(all, step).flatMap((s) => meant(root, s));
  return all;
}

// Meaning is what a schema says in words.
export interface Meaning { says: string; default?: string; accepts?: string; source?: string }

// meaning takes a description apart: its first line, and lines that begin with a word of their own.
export function meaning(all: Schema[]): Meaning | null {
  const text = all.find((s) => s.description)?.description;
  if (!text) return null;
  const m: Meaning = { says: "" };
  for (const line of text.split("\n")) {
    const [, word, rest] = /^(Default|Accepts|Source): (.*)$/.exec(line) ?? [];
    if (word) m[word.toLowerCase() as "default" | "accepts" | "source"] = rest;
    else m.says += (m.says && "\n") + line;
  }
  return m;
}

// A Choice is something that may be written.
export interface Choice { text: string; meaning: Meaning | null; opens: boolean; required: boolean; default: boolean }

// names are the keys that a mapping may have.
export function names(root: Schema, path: Path): Choice[] {
  const all = at(root, path), out = new Map<string, Choice>();
  for (const s of all) {
    for (const [text, below] of Object.entries(s.properties ?? {})) {
      const what = meant(root, below);
      const known = out.get(text);
      const required = s.required?.includes(text) ?? false;
      if (known) known.required ||= required;
      else out.set(text, { text, meaning: meaning(what), opens: what.some((x) => x.properties), required, default: false });
    }
  }
  return [...out.values()];
}

// values are what may stand at a place, as far as there are so few that they have names.
export function values(root: Schema, path: Path): Choice[] {
  const all = at(root, path), out = new Map<string, Choice>();
  const usual = all.find((s) => s.default !== undefined)?.default;
  const add = (v: unknown) => {
    if (typeof v === "object") return;
    const text = String(v);
    if (!out.has(text)) out.set(text, { text, meaning: null, opens: false, required: false, default: v === usual });
  };
  for (const s of all) {
    s.enum?.forEach(add);
    if (s.const !== undefined) add(s.const);
    if (s.type === "boolean") [true, false].forEach(add);
  }
  if (usual !== undefined) add(usual);
  return [...out.values()];
}
