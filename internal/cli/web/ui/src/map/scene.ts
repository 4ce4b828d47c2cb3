import type { Edge, Picture } from "../lib/layout";
import type { Palette } from "../lib/ink";

// What a frame of the map shows, by edge; of bands the greatest of their ports.
export interface Frame {
  use: Float64Array; // shares of the time, 0 to 1
  queue: Float64Array; // bytes
  paused: Float64Array; // shares of the time
  marks: Float64Array; // counted
  drops: Float64Array;
  deepest: number; // bytes of a bar of full length
  selected: number; // an edge; -1: none
  roots: { from: number; to: number }[]; // edges that are held, and the edge from whose queue that spread
}

// A scene draws frames over the nodes. Both kinds draw the same things at the same places.
export interface Scene {
  readonly name: string;
  show(p: Picture, palette: Palette): void;
  draw(f: Frame): void;
  end(): void;
}

export const BAR = 34; // length of a bar of a queue, in pixels
export const LINE = 2.2;
export const MOST_ROOTS = 500; // lines that lead to roots

// barAt is where the bar of an edge's queue lies: along the edge, from its sender.
export function barAt(e: Edge, share: number): [number, number, number, number] {
  const dx = e.x2 - e.x1, dy = e.y2 - e.y1, l = Math.hypot(dx, dy) || 1;
  const n = (BAR * Math.min(share, 1)) / l;
  return [e.x1, e.y1, e.x1 + dx * n, e.y1 + dy * n];
}

// tickAt is where marks (0) and drops (1) are shown: beside the end of the bar.
export function tickAt(e: Edge, which: number): [number, number] {
  const dx = e.x2 - e.x1, dy = e.y2 - e.y1, l = Math.hypot(dx, dy) || 1;
  const n = (BAR + 8 + 9 * which) / l;
  return [e.x1 + dx * n, e.y1 + dy * n];
}
