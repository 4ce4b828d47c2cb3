import { expect, test } from "vitest";
import type { Port } from "./api";
import { first, groups, layout, nearest, tierOf } from "./layout";

const port = (from: string, to: string, tier: string): Port => ({
  port: `${from}/${to}`, from, to, tier, rate_bps: 1e11, utilisation: 0, paused_ps: 0, paused_by: "", marks: 0, drops: 0,
  max_queue_bytes: 0,
});
const cable = (a: string, b: string, tierA: string, tierB: string) => [port(a, b, tierA), port(b, a, tierB)];

test("tiers lie above each other, names in natural order", () => {
  const p = layout([...cable("host10", "leaf1", "host", "leaf"), ...cable("host2", "leaf1", "host", "leaf"),
    ...cable("leaf1", "spine1", "leaf", "spine")], 1000, new Set());
  const at = (n: string) => p.nodes.find((x) => x.name === n)!;
  expect(at("host2").x).toBeLessThan(at("host10").x);
  expect(at("host2").y).toBeGreaterThan(at("leaf1").y);
  expect(at("leaf1").y).toBeGreaterThan(at("spine1").y);
  expect(p.edges.length).toBe(6);
  expect(p.banded).toBe(false);
});

test("two directions of a cable do not lie on each other", () => {
  const p = layout(cable("host1", "leaf1", "host", "leaf"), 500, new Set());
  const [a, b] = p.edges;
  expect(a.x1).not.toBe(b.x2);
  expect(Math.sign(a.x1 - b.x2)).toBe(Math.sign(a.x2 - b.x1)); // and do not cross
});

test("above 2,000 cables tiers are bands, which open", () => {
  const ports: Port[] = [];
  for (let h = 1; h <= 300; h++) for (let r = 1; r <= 8; r++) ports.push(...cable(`host${h}`, `rail${r}`, "host", "leaf"));
  const closed = layout(ports, 1400, new Set());
  expect(closed.banded).toBe(true);
  expect(closed.nodes.length).toBe(16 + 8);
  expect(closed.nodes[0].name).toBe("host1 to host19");
  expect(closed.edges.reduce((n, e) => n + e.ports.length, 0)).toBe(ports.length);
  const opened = layout(ports, 1400, new Set(["host1 to host19"]));
  expect(opened.nodes.length).toBe(15 + 19 + 8);
});

test("a run that goes on has tiers by name", () => {
  expect(["host12", "rail3", "leaf1", "spine2", "superspine1"].map((n) => tierOf(n, new Map()))).toEqual([0, 1, 1, 2, 3]);
  expect(groups(["b10", "b9"], false, new Set()).map((g) => g.name)).toEqual(["b9", "b10"]);
});

test("the nearest edge is found, or none", () => {
  const p = layout(cable("host1", "leaf1", "host", "leaf"), 500, new Set());
  const e = p.edges[0];
  expect(nearest(p.edges, e.x1, e.y1, 8)).toBe(0);
  expect(nearest(p.edges, e.x1 + 300, e.y1, 8)).toBe(-1);
});

test("the first of many are those of the whole order, what is alike as it came", () => {
  const all = Array.from({ length: 500 }, (_, i) => ({ i, v: (i * 37) % 10 }));
  const order = (a: { v: number }, b: { v: number }) => b.v - a.v;
  for (const most of [0, 1, 60, 500, 600]) expect(first(all, most, order)).toEqual([...all].sort(order).slice(0, most));
});
