import type { Graph, Port, Threshold } from "./api";
import { layout, type Picture } from "./layout";
import { bytes, count, percent, rate } from "./units";

// What a scenario makes, before it runs.

// drawn lays a graph out as the map of a run is; of a cable's two directions one is enough.
export function drawn(g: Graph, width: number, opened: Set<string>): Picture {
  const kind = new Map(g.nodes.map((n) => [n.name, n.kind]));
  const ports = g.ports.map((p): Port => ({
    port: p.name, from: p.from, to: p.to, tier: kind.get(p.from) ?? "", rate_bps: p.rate_bps, utilisation: 0, paused_ps: 0, paused_by: "", marks: 0, drops: 0,
    max_queue_bytes: 0,
  }));
  const picture = layout(ports, width, opened);
  return { ...picture, edges: picture.edges.filter((e) => e.from.y > e.to.y || (e.from.y === e.to.y && e.from.x < e.to.x)) };
}

const several = (n: number, one: string, many: string) => `${count(n)} ${n === 1 ? one : many}`;

// sentence says what there is of a graph.
export function sentence(g: Graph): string {
  const hosts = g.nodes.filter((n) => n.kind === "host");
  const gpus = hosts.reduce((sum, n) => sum + (n.gpus ?? 0), 0);
  const switches = g.nodes.length - hosts.length;
  return `${several(hosts.length, "host", "hosts")} with ${several(gpus, "GPU", "GPUs")}, ${several(switches, "switch", "switches")}, ` +
    `${several(g.ports.length / 2, "cable", "cables")}; halves of the hosts can exchange ${rate(g.bisection_bps)} each way.`;
}

export interface Limit { name: string; kind: "ecn" | "xoff" | "xon"; bytes: number; x: number; row: number }
export interface ThresholdPlot {
  end: number; // bytes at the right end
  curve: [number, number][]; // where, and what part of packets is marked
  lines: Limit[];
  headroom: [number, number] | null;
  words: string;
}

// part is a share as files have it: 20%, 0.2 or 1/5.
function part(text: string): number {
  const [a, b = "1"] = text.split("/");
  return Number.parseFloat(a) / Number.parseFloat(b) / (text.includes("%") ? 100 : 1);
}

// thresholdPlot puts the lengths at which a port marks and pauses on an axis of so many pixels.
export function thresholdPlot(t: Threshold, width: number): ThresholdPlot {
  const lengths = [t.ecn?.max_bytes ?? 0, (t.pfc?.xoff_bytes ?? 0) + (t.pfc?.headroom_bytes ?? 0)];
  const end = Math.max(...lengths, 1) * 1.08;
  const x = (b: number) => (b / end) * width;
  const curve: [number, number][] = [], lines: Limit[] = [], words: string[] = [];
  if (t.ecn) {
    const p = part(t.ecn.probability);
    curve.push([0, 0], [x(t.ecn.min_bytes), 0], [x(t.ecn.max_bytes), p], [x(t.ecn.max_bytes), 1], [width, 1]);
    lines.push({ name: "mark", kind: "ecn", bytes: t.ecn.min_bytes, x: x(t.ecn.min_bytes), row: 1 });
    words.push(`marks from ${bytes(t.ecn.min_bytes)}, ${percent(p)} of packets at ${bytes(t.ecn.max_bytes)} and all above`);
  } else words.push("never marks");
  if (t.pfc) {
    lines.push({ name: "xOFF", kind: "xoff", bytes: t.pfc.xoff_bytes, x: x(t.pfc.xoff_bytes), row: 0 });
    lines.push({ name: "xON", kind: "xon", bytes: t.pfc.xon_bytes, x: x(t.pfc.xon_bytes), row: 1 });
    words.push(`pauses its sender at ${bytes(t.pfc.xoff_bytes)}, lets it go on at ${bytes(t.pfc.xon_bytes)}, with ${bytes(t.pfc.headroom_bytes)} of headroom`);
  } else words.push("never pauses");
  return {
    end, curve, lines, words: words.join("; "),
    headroom: t.pfc ? [x(t.pfc.xoff_bytes), x(t.pfc.xoff_bytes + t.pfc.headroom_bytes)] : null,
  };
}
