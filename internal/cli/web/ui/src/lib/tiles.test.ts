import { expect, test } from "vitest";
import { decode, frameOf, indexOf, levelFor, QUEUE, Store, USE } from "./tiles";

function encoded(bins: number, ports: number): ArrayBuffer {
  const figures = ["use", "use_high", "paused", "marks", "drops", "queue"];
  let head = JSON.stringify({ version: 1, level: 0, index: 0, from_ps: 1000, width_ps: 100, bins, ports, figures });
  while ((head.length + 4) % 8) head += " ";
  const values = Float64Array.from({ length: 6 * bins * ports }, (_, i) => i);
  const out = new Uint8Array(4 + head.length + values.byteLength);
  new DataView(out.buffer).setUint32(0, head.length, true);
  out.set(new TextEncoder().encode(head), 4);
  out.set(new Uint8Array(values.buffer), 4 + head.length);
  return out.buffer;
}

test("a frame is one bin of one figure", () => {
  const t = decode(encoded(3, 2));
  expect([...frameOf(t, USE, 1000)!]).toEqual([0, 1]);
  expect([...frameOf(t, USE, 1199)!]).toEqual([2, 3]);
  expect([...frameOf(t, QUEUE, 1200)!]).toEqual([34, 35]);
  expect(frameOf(t, USE, 1300)).toBe(null);
  expect(frameOf(t, USE, 999)).toBe(null);
});

test("the level follows the speed", () => {
  const l = { interval_ps: 1000, base_level: 3, top_level: 8, intervals: 2000 };
  expect(levelFor(l, 0)).toBe(0);
  expect(levelFor(l, 1999)).toBe(0);
  expect(levelFor(l, 2000)).toBe(3);
  expect(levelFor(l, 64_000)).toBe(6);
  expect(levelFor(l, 1e12)).toBe(8);
  expect(indexOf(l, 0, 16_000)).toBe(1);
  expect(indexOf(l, 3, 127_999)).toBe(0);
});

test("a store fetches a tile once, and forgets what was used longest ago", async () => {
  let asked = 0;
  const s = new Store(async () => (asked++, encoded(1, 1)), () => undefined, 2);
  for (const i of [0, 0, 1]) s.want(0, i);
  await new Promise((r) => setTimeout(r));
  expect(asked).toBe(2);
  expect(s.peek(0, 0)).toBeTruthy();
  s.want(0, 2);
  await new Promise((r) => setTimeout(r));
  expect(s.peek(0, 1)).toBe(undefined);
  expect(s.peek(0, 0)).toBeTruthy();
});
