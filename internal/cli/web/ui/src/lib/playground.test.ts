import { expect, test } from "vitest";
import { bounded, chance, DRAWN, figures, fromValues, METHODS, scenario, spreadOf, toValues, type Flow, type Outcome, type Setting } from "./playground";

const drawn: Setting = { spines: 4, hosts: 8, each: 1, web: false, seed: 3, failed: 0, at: 10 };
const flow = (i: number, spine: number, share: number): Flow => ({
  name: `flow${i}`, src: `host${i}/gpu0`, dst: `host${i + 8}/gpu0`, bytes: 1e6, posted: 1, done: 1, fct_ps: (8e6 / (400e9 * share)) * 1e12,
  path: spine ? `host${i}>leaf1>spine${spine}>leaf2>host${i + 8}` : "", status: "done",
});
const outcome = (flows: Flow[], bytes: number[]): Outcome => ({
  state: "complete", seed: 3, end_ps: 1, flows, links: bytes.map((b, i) => ({ port: "", from: "leaf1", to: `spine${i + 1}`, rate_bps: 8e11, data_bytes: b })),
  ecn_marks: 0, drops: 0, retransmits: 0, packet_hops: 1, wall_seconds: 0,
});

test("6, 2, 0, 0: three times the mean, half of the capacity, a third for the slowest", () => {
  const flows = [1, 2, 3, 4, 5, 6].map((i) => flow(i, 1, 1 / 3)).concat(flow(7, 2, 1), flow(8, 2, 1));
  const f = figures(drawn, DRAWN, outcome(flows, [6, 2, 0, 0]));
  expect(f.perSpine).toEqual([6, 2, 0, 0]);
  expect([f.fullest, f.used, f.slowest, f.slowestName, f.undone].map((x) => (typeof x === "number" ? Number(x.toFixed(9)) : x))).toEqual([3, 0.5, 0.333333333, "flow1", 0]);
});

test("flows of several paths are told by bytes, and one that is not done is the slowest", () => {
  const f = figures(drawn, DRAWN, outcome([flow(1, 0, 1), { ...flow(2, 1, 1), done: 0, fct_ps: null }], [3, 1, 0, 0]));
  expect(f.perSpine).toEqual([1.5, 0.5, 0, 0]);
  expect([f.whole, f.slowest, f.slowestName, f.undone]).toEqual([false, 0, "flow2", 1]);
});

test("where packets choose, bytes tell, whatever path a flow is said to have", () => {
  const f = figures(drawn, METHODS.find((m) => m.id === "spray")!, outcome([flow(1, 1, 1), flow(2, 1, 1)], [1, 1, 1, 1]));
  expect([f.whole, ...f.perSpine]).toEqual([false, 0.5, 0.5, 0.5, 0.5]);
});

test("a uniform hash, by all its ways", () => {
  const c = chance(4, 8)!;
  let six = 0, fullest = 0;
  for (let code = 0; code < 4 ** 8; code++) { // each way by itself
    const n = [0, 0, 0, 0];
    for (let i = 0, x = code; i < 8; i++, x >>= 2) n[x & 3]++;
    const m = Math.max(...n);
    fullest += m / 4 ** 8;
    if (m >= 6) six += 1 / 4 ** 8;
  }
  expect(c.fullest).toBeCloseTo(fullest, 9);
  expect(c.atLeast(6)).toBeCloseTo(six, 9);
  expect([c.fullest.toFixed(2), c.atLeast(6).toFixed(3), c.used.toFixed(2), c.slowest.toFixed(2)]).toEqual(["3.54", "0.017", "0.77", "0.59"]);
  expect(chance(8, 17)).toBe(null);
});

test("scenarios hold their setting", () => {
  const s = scenario({ ...drawn, failed: 2, at: 25, each: 2 }, METHODS.find((m) => m.id === "spray-direct")!);
  for (const part of ["seed: 3", "hosts: 16", "spines: 4", "spine: 800000Mb/s", "balance: spray", "receiver: direct", "{switch: spine2, at: 25us, down: 1s}"]) expect(s).toContain(part);
  expect(s.match(/bytes: 1MB/g)).toHaveLength(2);
  const d = scenario(drawn, DRAWN);
  expect([1, 2, 3].map((i) => d.split(`spine${i},`).length - 1)).toEqual([6, 2, 0]);
});

test("addresses come back, within bounds", () => {
  const s = { ...drawn, web: true, failed: 3, at: 44 };
  expect(fromValues(new Map(Object.entries(toValues(s))))).toEqual(s);
  expect(bounded({ ...s, spines: 2, hosts: 99, seed: NaN })).toMatchObject({ spines: 2, hosts: 16, seed: 1, failed: 2 });
});

test("the spread of figures", () => {
  const all = Array.from({ length: 200 }, (_, i) => (i * 7) % 200);
  expect(spreadOf(all)).toEqual({ median: 100, low: 10, high: 190 });
  expect(spreadOf([3])).toEqual({ median: 3, low: 3, high: 3 });
});
