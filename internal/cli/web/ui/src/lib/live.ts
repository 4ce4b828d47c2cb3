import { count, bytes, time } from "./units";
import type { Job, PostedFile, Problem, Told } from "./api";

// What is said of runs that were posted, and where in a text a problem lies.

export const active = (j: Job) => j.state === "waiting" || j.state === "running";

// offset is where a line and column, from 1 and in characters, lie in a text.
export function offset(text: string, line: number, column: number): number {
  let at = 0;
  for (let n = 1; n < line; n++) {
    const next = text.indexOf("\n", at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  for (let n = 1; n < column && at < text.length && text[at] !== "\n"; n++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}

// said is a problem in a sentence.
export function said(p: Problem): string {
  const place = p.line ? `${p.file === "scenario.yaml" ? "line" : `${p.file}, line`} ${p.line}, column ${p.column}: ` : "";
  return `${place}${p.path ? `${p.path}: ` : ""}${p.message}${p.hint ? `; ${p.hint}` : ""}`;
}

// far is how much of a run is done, 0 to 1; null: it is not known.
export function far(t: Told | null): number | null {
  if (!t) return null;
  if (t.part > 0) return Math.min(1, t.part);
  return t.total > 0 ? Math.min(1, t.done / t.total) : null;
}

// words is what a run says of itself.
export function words(t: Told | null): string {
  if (!t) return "";
  const done = t.phase === "flows" ? `${bytes(t.done)} of ${bytes(t.total)}` : t.total > 0 ? `${count(t.done)} of ${count(t.total)}` : "";
  const parts = [`${t.phase} ${done}`.trim()];
  if (t.loss !== undefined) parts.push(`loss ${t.loss.toFixed(4)}`);
  if (t.virtual_ps > 0) parts.push(time(t.virtual_ps));
  return parts.join(", ");
}

// state says how it is with a job.
export function state(j: Job): string {
  if (j.state === "waiting") return `waits, ${j.place}. in the line`;
  return j.why ? `${j.state}: ${j.why}` : j.state;
}

// packed is a file as it is posted: text as it is, anything else in base64.
export async function packed(name: string, data: ArrayBuffer): Promise<PostedFile> {
  try {
    return { name, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data) };
  } catch {
    let text = "";
    for (const b of new Uint8Array(data)) text += String.fromCharCode(b);
    return { name, base64: btoa(text) };
  }
}

export const size = (f: PostedFile) => (f.base64 ? (f.base64.length * 3) / 4 : new TextEncoder().encode(f.text ?? "").length);

// quoted is a word as a shell takes it.
const quoted = (s: string) => (/^[\w./-]+$/.test(s) && !s.startsWith("-") ? s : `'${s.replaceAll("'", "'\\''")}'`);

// command is the line that makes the run of a saved scenario.
export const command = (name: string) => `railyard run ${quoted(`${name}.yaml`)}`;
