import { expect, test } from "vitest";
import type { Graph, Threshold } from "./api";
import { drawn, sentence, thresholdPlot } from "./preview";

const cable = (a: string, b: string) => [{ name: `${a}/${b}`, from: a, to: b, rate_bps: 1e11 }, { name: `${b}/${a}`, from: b, to: a, rate_bps: 1e11 }];
const graph: Graph = {
  nodes: [{ name: "host1", kind: "host", tier: 0, gpus: 2 }, { name: "host2", kind: "host", tier: 0, gpus: 2 }, { name: "rail1", kind: "leaf", tier: 1 }],
  ports: [...cable("host1", "rail1"), ...cable("host2", "rail1")], tiers: [], bisection_bps: 1e11,
};

test("a graph is drawn with a line for each cable, and said in a sentence", () => {
  const p = drawn(graph, 400, new Set());
  expect(p.nodes.map((n) => n.name).sort()).toEqual(["host1", "host2", "rail1"]);
  expect(p.edges.map((e) => `${e.from.name} ${e.to.name}`).sort()).toEqual(["host1 rail1", "host2 rail1"]);
  expect(p.nodes.find((n) => n.name === "rail1")!.y).toBeLessThan(p.nodes.find((n) => n.name === "host1")!.y);
  expect(sentence(graph)).toBe("2 hosts with 4 GPUs, 1 switch, 2 cables; halves of the hosts can exchange 100 Gb/s each way.");
});

const port: Threshold = {
  switch: "leaf", ports: 2, rate_bps: 1e11, ecn: { min_bytes: 400, max_bytes: 1600, probability: "20%" },
  pfc: { xoff_bytes: 2000, xon_bytes: 1800, headroom_bytes: 500 }, first_to_act: "ECN",
};

test("thresholds lie on one axis, in order of their bytes", () => {
  const p = thresholdPlot(port, 270);
  expect(p.end).toBeCloseTo(2700);
  expect(p.curve).toEqual([[0, 0], [40, 0], [160, 0.2], [160, 1], [270, 1]].map(([x, y]) => [expect.closeTo(x), y]));
  expect(p.lines.map((l) => [l.name, Math.round(l.x)])).toEqual([["mark", 40], ["xOFF", 200], ["xON", 180]]);
  expect(p.headroom!.map(Math.round)).toEqual([200, 250]);
  expect(p.words).toBe("marks from 400 B, 20.0 % of packets at 1.600 kB and all above; pauses its sender at 2 kB, lets it go on at 1.800 kB, with 500 B of headroom");
  expect(thresholdPlot({ ...port, pfc: undefined }, 270).end).toBeCloseTo(1600 * 1.08); // what there is ends the axis
  expect(thresholdPlot({ ...port, ecn: undefined }, 270).end).toBeCloseTo(2500 * 1.08);
  expect(thresholdPlot({ ...port, ecn: undefined, pfc: undefined }, 270).end).toBeCloseTo(1.08);
  expect(thresholdPlot({ ...port, ecn: undefined, pfc: undefined }, 270).words).toBe("never marks; never pauses");
  expect(thresholdPlot({ ...port, ecn: { ...port.ecn!, probability: "1/5" } }, 270).curve[2][1]).toBe(0.2);
});
