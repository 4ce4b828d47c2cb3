import type { Port } from "./api";

// What a run that goes on shows of itself: see api/view.

export interface PortName { port: string; from: string; to: string; tier: string; rate_bps: number }
export interface Columns { port: number[]; queue_bytes: number[]; use_10000: number[]; paused_10000: number[]; held: boolean[]; marks: number[]; drops: number[] }
export interface PairSeen { name: string; job: string; bytes: number; rate_bps: number; may_bps: number }
export interface View {
  now_ps: number; since_ps: number; ports: Columns; pairs: PairSeen[]; more_pairs: number;
  events: { marks: number; drops: number; pauses: number; cnps: number; retransmits: number; packet_hops: number };
}
export interface Steer { views: boolean; speed: number; paused: boolean; steps: number; part: string }
export interface Seen { ports?: PortName[][]; view: View | null; steer: Steer; wrong: string; ended: boolean }

// asPorts are ports as the map lays them out.
export const asPorts = (names: PortName[]): Port[] => names.map((p) => ({ ...p, utilisation: 0, paused_ps: 0, paused_by: "", marks: 0, drops: 0, max_queue_bytes: 0 }));

// spread puts a column where its ports are, of several ports at one place the greatest; the others are 0.
export function spread(c: Columns, values: number[], of: Int32Array, out: Float64Array): Float64Array {
  out.fill(0);
  c.port.forEach((p, i) => {
    const at = of[p];
    if (values[i] > out[at]) out[at] = values[i];
  });
  return out;
}

// busiest are the rows of the ports with the longest queues, then the most used.
export function busiest(c: Columns, most: number): number[] {
  const all = c.port.map((_, i) => i);
  all.sort((a, b) => c.queue_bytes[b] - c.queue_bytes[a] || c.use_10000[b] - c.use_10000[a] || c.port[a] - c.port[b]);
  return all.slice(0, most);
}

// happened is what there was since the view before, in words.
export function happened(v: View): string {
  const parts = [["marks", v.events.marks], ["drops", v.events.drops], ["pauses", v.events.pauses], ["CNPs", v.events.cnps], ["retransmits", v.events.retransmits]] as const;
  return parts.filter(([, n]) => n > 0).map(([name, n]) => `${n.toLocaleString("en-US")} ${name}`).join(", ") || "no marks, drops or pauses";
}

// The speeds that are offered, in virtual microseconds in a second; 0 is as fast as it can.
export const SPEEDS = [0, 1, 10, 100, 1000, 10_000, 100_000];
