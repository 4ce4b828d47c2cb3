import { figure as print } from "./units";

// Figures as the server has them: see package chart. A value that is null is none.
type Value = number | null;
interface Axis { label: string; unit: string; low: Value; high: Value }
export interface Figure {
  name: string; title: string; caption?: string; keys?: { id: string; name: string }[];
  lines?: { x: Axis; y: Axis; series: { key: string; x: Value[]; y: Value[]; low?: Value[]; high?: Value[] }[] };
  bars?: { x: Axis; rows: { group?: string; label: string; parts: { key: string; value: Value }[] }[] };
  lanes?: { x: Axis; lanes: { group?: string; label: string; spans: { from: Value; to: Value; key: string; name?: string }[] }[] };
  map?: { value: Axis; rows: string[]; row_name: string; columns?: string[]; x?: Axis; cells: Value[][] };
}
export interface Figures { figures: Figure[]; drawings: string[]; dark_rules: string }

// A table says what a figure shows: names of columns, then rows. Numbers are kept as they are beside what is printed of them.
export interface Cell { text: string; value?: number }
export interface Table { columns: string[]; rows: Cell[][]; left: number } // left: rows that are not there

export const MOST_ROWS = 500;

const word = (text: string): Cell => ({ text });
const number = (v: Value, unit: string): Cell => (v === null || v === undefined ? { text: "-" } : { text: print(v, unit), value: v });

export function tableOf(f: Figure, most = MOST_ROWS): Table {
  const name = (key: string) => f.keys?.find((k) => k.id === key)?.name ?? key;
  const all: Cell[][] = [];
  let columns: string[] = [];
  if (f.lines) {
    const { x, y, series } = f.lines;
    columns = ["", x.label, y.label, "least", "greatest"];
    for (const s of series) {
      s.x.forEach((v, i) => all.push([word(name(s.key)), number(v, x.unit), number(s.y[i], y.unit), number(s.low?.[i] ?? null, y.unit), number(s.high?.[i] ?? null, y.unit)]));
    }
  } else if (f.bars) {
    columns = ["", "part", f.bars.x.label];
    for (const r of f.bars.rows) for (const p of r.parts) all.push([word([r.group, r.label].filter(Boolean).join(", ")), word(name(p.key)), number(p.value, f.bars.x.unit)]);
  } else if (f.lanes) {
    columns = ["", "what", "from", "until"];
    for (const l of f.lanes.lanes) {
      for (const s of l.spans) all.push([word([l.group, l.label].filter(Boolean).join(", ")), word(s.name || name(s.key)), number(s.from, f.lanes.x.unit), number(s.to, f.lanes.x.unit)]);
    }
  } else if (f.map) {
    const m = f.map, wide = m.cells[0]?.length ?? 0;
    const at = (i: number) => m.columns?.[i] ?? (m.x && m.x.low !== null && m.x.high !== null ? print(m.x.low + ((m.x.high - m.x.low) * i) / wide, m.x.unit) : String(i));
    columns = [m.row_name, ...Array.from({ length: wide }, (_, i) => at(i))];
    m.cells.forEach((row, i) => all.push([word(m.rows[i] ?? String(i)), ...row.map((v) => number(v, m.value.unit))]));
  }
  return { columns, rows: all.slice(0, most), left: Math.max(all.length - most, 0) };
}
