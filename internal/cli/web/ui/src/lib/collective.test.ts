import { expect, test } from "vitest";
import type { CollectiveRun } from "./api";
import { linesOf } from "./collective";

const run = (start_ps: number, end_ps: number, late: number): CollectiveRun => ({ group: "dp0", step: 0, ranks: 2, start_ps, last_ps: start_ps + late, last_rank: 1, end_ps });

test("a run counts in each bin that it reaches into, and of several there is the mean", () => {
  const d = linesOf({ job: "", name: "x", more: false, runs: [run(100, 300, 5), run(200, 240, 15), run(650, 700, 1)] }, 0, 1000, 10);
  expect([d.bins, d.width_ps]).toEqual([10, 100]);
  expect(d.figures[0].mean).toEqual([null, 200, 120, null, null, null, 50, null, null, null]);
  expect(d.figures[0].low[2]).toBe(40);
  expect(d.figures[0].high[2]).toBe(200);
  expect(d.figures[1].mean).toEqual([null, 5, 10, null, null, null, 1, null, null, null]);
});

test("a run that began before what is shown, and one of no length", () => {
  const d = linesOf({ job: "", name: "x", more: false, runs: [run(0, 150, 3), run(180, 180, 0)] }, 100, 200, 2);
  expect(d.figures[0].mean).toEqual([150, 0]);
  expect(linesOf({ job: "", name: "x", more: false, runs: [] }, 0, 10, 2).bins).toBe(0);
});
