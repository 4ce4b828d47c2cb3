// What the server answers: see openapi.json. Paths are relative to the page, which lies below the token.

export interface Figure { name: string; unit: string; value: number | string; meaning?: string }
export interface RunEntry {
  id: string; name: string; state: string; held: boolean; seed: number; end_ps: number; answer: string; headline: Figure[]; error?: string;
}
export interface Finding { cause: string; time_ps: number; share: number; text: string }
export interface Blame {
  kind: string; port?: string; rank?: number; time_ps: number; share: number; job: string;
  felt: { cause: string; time_ps: number }[]; culprits?: { name: string; share: number }[];
}
export interface Tried { kind: string; name: string; attributed_ps: number | null; saves_ps: number | null; why: string }
export interface Threshold {
  switch: string; match?: string; class?: string; ports: number; rate_bps: number; ecn?: { min_bytes: number; max_bytes: number; probability: string };
  pfc?: { xoff_bytes: number; xon_bytes: number; headroom_bytes: number }; first_to_act: string; reason?: string;
}
export interface Run {
  id: string; directory: string; name: string; state: string; held: boolean; seed: number; version: string; end_ps: number; answer: string;
  lead: { job: string; port: string; rank: number | null } | null; bullets: string[]; notes: string[]; headline: Figure[]; subject: string; whole_ps: number; findings: Finding[]; blames: Blame[];
  thresholds: Threshold[]; tables: string[]; want: string[]; whatif: Tried[] | null; pieces: string[]; collectives: boolean; scenario: string;
}
export interface Port {
  port: string; from: string; to: string; tier: string; rate_bps: number; utilisation: number; paused_ps: number; paused_by: string;
  marks: number; drops: number; max_queue_bytes: number;
}
export interface Topology {
  version: number; ports_version: number; end_ps: number; ports: Port[]; interval_ps: number; base_level: number; top_level: number; intervals: number;
  source: string;
}
export interface Progress {
  state: string; version: number; reading: string; done: number; all: number; rows: number; end_ps: number; notes: string[] | null;
}
export interface Line { name: string; unit: string; low: number[]; high: number[]; mean: number[] }
export interface Lines {
  kind: string; port: string; class: number; job: string; name: string; from_ps: number; width_ps: number; level: number;
  interval_ps: number; bins: number; figures: Line[];
}
export interface FlowName { job: string; name: string; port: string }
export interface QueueName { port: string; class: number }
export interface CollectiveName { job: string; name: string }
export interface Names { queues: QueueName[]; flows: FlowName[]; path: string[]; more: boolean; collectives: CollectiveName[] }
export interface CollectiveRun { group: string; step: number; ranks: number; start_ps: number; last_ps: number; last_rank: number; end_ps: number }
export interface CollectiveRuns extends CollectiveName { runs: CollectiveRun[]; more: boolean }
export interface Event {
  time_ps: number; kind: string; port: string; class: number; job: string; name: string; frame: string; psn: number; bytes: number;
  threshold_bytes: number; root: string; before_bps: number; rate_bps: number; target_bps: number; alpha: number; why: string;
}
export interface EventLog { events: Event[]; more: boolean; left_out: Record<string, number> | null }
export interface Marks { width_ps: number; kinds: { kind: string; counts: number[]; all: number }[]; left_out: Record<string, number> | null }
export interface Pause { port: string; class: number; root: string; from_ps: number; until_ps: number }
export interface Bar {
  job: string; rank: number; step: number; op: number; name: string; group: string; start_ps: number; end_ps: number;
}
export interface Strip { job: string; rank: number; compute: boolean; shares: number[] }
export interface PathPart {
  job: string; step: number; rank: number; from_ps: number; until_ps: number; cause: string; kind: string; src: number; dst: number;
  at: string;
}
export interface Timeline {
  from_ps: number; until_ps: number; bars: Bar[]; width_ps: number; first_ps: number; strips: Strip[]; ranks: number; path: PathPart[];
  more_path: boolean;
}
export interface StepRow { job: string; step: number; rank: number; start_ps: number; end_ps: number; causes_ps: Record<string, number> }
export interface Collective {
  job: string; name: string; group: string; schedule: string; ranks: number[]; channels: number; chunks: number; once: boolean; why: string;
}
export interface Send { from: number; to: number; chunk: number; of: number; bytes: number; posted_ps: number | null; placed_ps: number | null }
export interface Round { sends: Send[]; holds: number[][] }
export interface Rounds { collectives: Collective[]; index: number; channel: number; step: number; timed: string; rounds: Round[] }
export interface Colour { name: string; light: string; dark: string; hatched: boolean }
export interface Inks {
  inks: Colour[]; causes: { column: string; name: string; meaning: string }[]; events: { Name: string; Meaning: string; Pair: boolean }[];
}

export interface PostedFile { name: string; text?: string; base64?: string }
export interface Posted { scenario: string; files: PostedFile[] }
export interface Example extends Posted { group: "examples" | "labs"; name: string; about: string }
export interface Graph {
  nodes: { name: string; kind: string; tier: number; gpus?: number }[]; ports: { name: string; from: string; to: string; rate_bps: number }[];
  tiers: { tier: number; switches: number; down_bps: number; up_bps: number; oversubscription?: string }[] | null; bisection_bps: number;
}
export interface Told {
  phase: string; done: number; total: number; loss?: number; virtual_ps: number; packet_hops: number; part: number; cpu_seconds: number;
  memory_bytes: number;
}
export interface Job {
  id: string; name: string; state: string; place: number; run: string; progress: Told | null; memory_bytes: number; why: string;
}
export interface Live {
  runs: boolean; jobs: Job[]; all: number;
  bounds: { body_bytes: number; runs: number; disk_bytes: number; cpu_seconds: number; memory_bytes: number; at_once: number };
  used: { runs: number; disk_bytes: number; cpu_seconds: number };
}
export interface Problem { severity: string; file: string; line?: number; column?: number; path?: string; message: string; hint?: string }
export interface Checked {
  name?: string; errors: number; findings: Problem[]; estimate?: { packet_hops: number; memory_bytes: number; wall_seconds: number };
  thresholds?: Threshold[]; graph?: Graph;
}

type Parameters = Record<string, string | number | boolean | string[] | undefined>;

export function address(name: string, parameters: Parameters = {}): string {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(parameters)) {
    if (Array.isArray(v)) v.forEach((x) => q.append(k, x));
    else if (v !== undefined) q.set(k, typeof v === "number" ? String(Math.round(v)) : String(v));
  }
  const text = q.toString();
  return `api/${name}${text ? `?${text}` : ""}`;
}

async function ask(name: string, parameters: Parameters, signal?: AbortSignal): Promise<Response> {
  return answered(await fetch(address(name, parameters), { signal }));
}

// post asks for something to be done.
export async function post<T>(name: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const r = await fetch(address(name), { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" }, signal });
  return (await answered(r)).json();
}

async function answered(r: Response): Promise<Response> {
  if (!r.ok) {
    let text = `${r.status}`;
    try {
      text = (await r.json()).error;
    } catch {
      // the status says enough
    }
    throw new Error(text);
  }
  return r;
}

export async function get<T>(name: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
  return (await ask(name, parameters, signal)).json();
}

export async function getBytes(name: string, parameters: Parameters, signal?: AbortSignal): Promise<ArrayBuffer> {
  return (await ask(name, parameters, signal)).arrayBuffer();
}

// gone tells an answer that nobody wanted any more from a failure.
export const gone = (e: unknown) => e instanceof DOMException && e.name === "AbortError";
