import { expect, test } from "vitest";
import { busiest, happened, spread, type View } from "./view";

const ports = { port: [1, 4, 5, 7], queue_bytes: [10, 0, 500, 0], use_10000: [1, 2, 3, 9000], paused_10000: [0, 0, 0, 0], held: [false, false, true, false], marks: [0, 0, 2, 0], drops: [0, 0, 0, 0] };

test("columns lie where their ports are, the greatest where several share a place", () => {
  const of = Int32Array.from([0, 0, 1, 1, 2, 2, 3, 3]), out = new Float64Array(4).fill(7);
  expect([...spread(ports, ports.queue_bytes, of, out)]).toEqual([10, 0, 500, 0]);
  expect([...spread(ports, ports.use_10000, of, out)]).toEqual([1, 0, 3, 9000]);
});

test("the longest queues come first, then what is used most", () => {
  expect(busiest(ports, 3).map((i) => ports.port[i])).toEqual([5, 1, 7]);
});

test("events in words", () => {
  const v: View = { now_ps: 2, since_ps: 1, ports, pairs: [], more_pairs: 0, events: { marks: 1200, drops: 0, pauses: 3, cnps: 0, retransmits: 0, packet_hops: 9 } };
  expect(happened(v)).toBe("1,200 marks, 3 pauses");
  expect(happened({ ...v, events: { ...v.events, marks: 0, pauses: 0 } })).toBe("no marks, drops or pauses");
});
