import type { Round, Send } from "./api";

// Ranks of a collective on a circle, and what a round sends between them.

export interface Place { x: number; y: number }

// circle places so many ranks clockwise, the first at the top.
export function circle(n: number, size: number, margin: number): Place[] {
  const r = size / 2 - margin;
  return Array.from({ length: n }, (_, i) => {
    const a = (2 * Math.PI * i) / n - Math.PI / 2;
    return { x: size / 2 + r * Math.cos(a), y: size / 2 + r * Math.sin(a) };
  });
}

// arrow leads from one place to another and ends before it, bent to the inside so that both directions are seen.
export function arrow(a: Place, b: Place, short: number, size: number): string {
  const dx = b.x - a.x, dy = b.y - a.y, l = Math.hypot(dx, dy) || 1;
  const from = { x: a.x + (dx * short) / l, y: a.y + (dy * short) / l }, to = { x: b.x - (dx * short) / l, y: b.y - (dy * short) / l };
  const mid = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  const bend = Math.min(l * 0.16, size * 0.06);
  const c = { x: mid.x - (dy / l) * bend, y: mid.y + (dx / l) * bend };
  const p = (v: Place) => `${v.x.toFixed(1)} ${v.y.toFixed(1)}`;
  return `M${p(from)} Q${p(c)} ${p(to)}`;
}

// members lists whose parts a chunk has: bits from the lowest.
export function members(mask: number): number[] {
  const all: number[] = [];
  for (let i = 0; i < 32; i++) if (Math.floor(mask / 2 ** i) % 2 === 1) all.push(i);
  return all;
}

// roundAt is the last round of which every message that has a time had arrived by then; 0: none had.
export function roundAt(rounds: Round[], t: number): number {
  let last = 0;
  for (let i = 1; i < rounds.length; i++) {
    const known = rounds[i].sends.filter((s) => s.posted_ps !== null);
    if (known.some((s) => s.placed_ps === null || s.placed_ps > t)) break;
    if (known.length) last = i;
  }
  return last;
}

// spanOf is from when until when the messages of a round were under way; null: none has a time.
export function spanOf(sends: Send[]): { from: number; until: number } | null {
  const known = sends.filter((s) => s.posted_ps !== null && s.placed_ps !== null);
  if (!known.length) return null;
  return { from: Math.min(...known.map((s) => s.posted_ps!)), until: Math.max(...known.map((s) => s.placed_ps!)) };
}
