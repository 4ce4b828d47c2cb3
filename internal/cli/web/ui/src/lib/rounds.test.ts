import { describe, expect, it } from "vitest";
import type { Round, Send } from "./api";
import { circle, members, roundAt, spanOf } from "./rounds";

const send = (posted: number | null, placed: number | null): Send => ({ from: 0, to: 1, chunk: 0, of: 1, bytes: 1, posted_ps: posted, placed_ps: placed });
const round = (...sends: Send[]): Round => ({ sends, holds: [] });

describe("rounds of a collective", () => {
  it("has the first rank at the top, the others clockwise", () => {
    const p = circle(4, 100, 10).map((v) => [Math.round(v.x), Math.round(v.y)]);
    expect(p).toEqual([[50, 10], [90, 50], [50, 90], [10, 50]]);
  });
  it("names whose parts a chunk has, the 32nd too", () => {
    expect(members(0b1011)).toEqual([0, 1, 3]);
    expect(members(2 ** 31 + 1)).toEqual([0, 31]);
    expect(members(0)).toEqual([]);
  });
  it("knows which round is over at a time, and takes what has no time for over", () => {
    const all = [round(), round(send(10, 20), send(null, null)), round(send(20, 30)), round(send(25, null))];
    expect([0, 19, 20, 29, 30, 99].map((t) => roundAt(all, t))).toEqual([0, 0, 1, 1, 2, 2]);
  });
  it("spans from the first message to the last byte", () => {
    expect(spanOf([send(10, 20), send(5, 40), send(null, null)])).toEqual({ from: 5, until: 40 });
    expect(spanOf([send(null, null)])).toBeNull();
  });
});
