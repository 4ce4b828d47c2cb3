import { expect, test } from "vitest";
import { speeds, tick, zoomed } from "./player";

test("speeds go from 1 ns to the whole run in a second", () => {
  expect(speeds(15_657_256_907)).toEqual([1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 15_657_256_907]);
  expect(speeds(0)).toEqual([1e3]);
});

test("time passes by the wall, and ends with the run", () => {
  expect(tick(0, 1e9, 16, 1e12)).toEqual({ t: 1.6e7, ended: false });
  expect(tick(0, 1e9, 5000, 1e12).t).toBe(1e8); // a page that slept does not leap
  expect(tick(9e8, 1e9, 100, 1e9)).toEqual({ t: 1e9, ended: true });
});

test("a zoom keeps what is under the pointer, and within the run", () => {
  expect(zoomed(0, 1000_000, 500_000, 0.5, 1000_000)).toEqual([250_000, 750_000]);
  expect(zoomed(0, 1000_000, 0, 2, 1000_000)).toEqual([0, 1000_000]);
  expect(zoomed(900_000, 1000_000, 1000_000, 4, 1000_000)).toEqual([600_000, 1000_000]);
  expect(zoomed(0, 2000, 1000, 0.001, 1000_000)).toEqual([500, 1500]);
});
