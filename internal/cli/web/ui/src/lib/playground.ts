// The playground of load balancing: hosts under two leaves send to each other over some spines, by each way of choosing one.

export interface Setting {
  spines: number; hosts: number; each: number; // hosts of a leaf, and elephants of each
  web: boolean; seed: number; failed: number; at: number; // a spine from 1, 0: none, and when it fails, in microseconds
}
export interface Method { id: string; balance: string; direct: boolean; flow?: boolean; says: string } // flow: one path for each
export interface Flow { name: string; src: string; dst: string; bytes: number; posted: number; done: number; fct_ps: number | null; path: string; status: string }
export interface Outcome {
  state: string; seed: number; end_ps: number; flows: Flow[]; links: { port: string; from: string; to: string; rate_bps: number; data_bytes: number }[];
  ecn_marks: number; drops: number; retransmits: number; packet_hops: number; wall_seconds: number;
}

export const NIC = 400e9, ELEPHANT = 1e6, MOUSE = 50e3, MICE = 10;
export const METHODS: Method[] = [
  { id: "ecmp", balance: "ecmp", direct: false, flow: true, says: "a hash of the header chooses, for a flow" },
  { id: "resilient", balance: "resilient", direct: false, flow: true, says: "a hash, of which few flows move when a spine fails" },
  { id: "pinned", balance: "pinned", direct: false, flow: true, says: "a plan of all flows" },
  { id: "flowlet", balance: "flowlet", direct: false, says: "anew after each pause of a flow" },
  { id: "dlb", balance: "dlb", direct: false, says: "by load and queue of the leaf's own ports" },
  { id: "glb", balance: "glb", direct: false, says: "and by what the spines say of theirs" },
  { id: "conweave", balance: "conweave", direct: false, says: "a flow moves when its path is slow" },
  { id: "spray", balance: "spray", direct: false, says: "each packet for itself; receivers want them in order" },
  { id: "spray-direct", balance: "spray", direct: true, says: "each packet for itself; receivers take any order" },
];
export const DRAWN: Method = { id: "drawn", balance: "ecmp", direct: false, flow: true, says: "six flows by the first spine, two by the second, as drawn there" };
export const DRAWN_PATHS = [6, 2, 0, 0];
export const SEEDS = 200;
export const BOUNDS = { spines: [2, 8], hosts: [2, 16], each: [1, 8], seed: [1, 200], at: [1, 200] } as const;

// bounded is a setting within its bounds.
export function bounded(s: Setting): Setting {
  const clip = (v: number, [low, high]: readonly [number, number]) => (Number.isFinite(v) ? Math.min(high, Math.max(low, Math.round(v))) : low);
  const spines = clip(s.spines, BOUNDS.spines);
  return {
    spines, hosts: clip(s.hosts, BOUNDS.hosts), each: clip(s.each, BOUNDS.each), web: s.web, seed: clip(s.seed, BOUNDS.seed), failed: clip(s.failed, [0, spines]),
    at: clip(s.at, BOUNDS.at),
  };
}

// uplink is the rate of a leaf's link to a spine, in Mb/s: all of them together carry what its hosts can send.
export const uplink = (s: Setting) => Math.round((s.hosts * NIC) / s.spines / 1e6);

// isDrawn tells the setting that the curriculum draws: eight flows over four spines.
export const isDrawn = (s: Setting) => s.spines === 4 && s.hosts === 8 && s.each === 1 && !s.web && s.failed === 0;

// scenario is what runs: a file for railyard run.
export function scenario(s: Setting, m: Method): string {
  const flows: string[] = [];
  const pairs = `pattern: pairs, from: "host[1-${s.hosts}]/gpu0", to: "host[${s.hosts + 1}-${2 * s.hosts}]/gpu0"`;
  if (m.id === DRAWN.id) {
    DRAWN_PATHS.forEach((n, spine) => {
      for (let i = 0; i < n; i++) {
        const h = flows.length + 1;
        flows.push(`{from: host${h}/gpu0, to: host${h + s.hosts}/gpu0, bytes: 1MB, path: [host${h}, leaf1, spine${spine + 1}, leaf2, host${h + s.hosts}]}`);
      }
    });
  } else if (s.web) {
    for (let i = 0; i < MICE * s.each; i++) flows.push(`{${pairs}, bytes: 50kB, start: ${Math.round((7000 * i) / s.each)}ns}`);
  } else {
    for (let i = 0; i < s.each; i++) flows.push(`{${pairs}, bytes: 1MB}`);
  }
  const lines = [
    `name: playground-${m.id}`,
    `seed: ${s.seed}`,
    `cluster: {hosts: ${2 * s.hosts}, host: {gpus: 1}, nic: {speed: 400Gb/s}}`,
    `fabric: {design: leaf-spine, leaves: 2, spines: ${s.spines}, links: {spine: ${uplink(s)}Mb/s}, balance: ${m.balance}}`,
  ];
  if (m.direct) lines.push("transport: {receiver: direct}");
  if (s.failed > 0) lines.push("faults:", `  - {switch: spine${s.failed}, at: ${s.at}us, down: 1s}`);
  return [...lines, "job:", "  flows:", ...flows.map((f) => `    - ${f}`), ""].join("\n");
}

export interface Figures {
  perSpine: number[]; // flows; where flows may take several paths, as many as their bytes would be
  whole: boolean; // each flow took one path
  fullest: number; // the largest of perSpine over their mean
  used: number | null; // all flows' rates together, of what the leaf's links to spines carry; null: flows are not all there at once
  slowest: number; // its rate, of what its host's link gives each of its flows
  slowestName: string;
  undone: number;
}

// rateOf is what a flow got: its bytes over its completion time.
export const rateOf = (f: Flow) => (f.done === f.posted && f.fct_ps ? (f.bytes * 8e12) / f.fct_ps : 0);

export function figures(s: Setting, m: Method, o: Outcome): Figures {
  const counts = new Array<number>(s.spines).fill(0), bytes = new Array<number>(s.spines).fill(0);
  let whole = m.flow === true && s.failed === 0, sum = 0, slowest = Infinity, slowestName = "", undone = 0;
  for (const f of o.flows) {
    const spine = /(?:^|>)spine(\d+)(?:>|$)/.exec(f.path)?.[1];
    if (spine) counts[Number(spine) - 1]++;
    else whole = false;
    const rate = rateOf(f);
    if (rate === 0) undone++;
    sum += rate;
    if (rate < slowest) [slowest, slowestName] = [rate, f.name];
  }
  for (const l of o.links) {
    const spine = l.from === "leaf1" && /^spine(\d+)$/.exec(l.to)?.[1];
    if (spine) bytes[Number(spine) - 1] += l.data_bytes;
  }
  const all = bytes.reduce((a, b) => a + b, 0);
  const perSpine = whole ? counts : bytes.map((b) => (all ? (b / all) * o.flows.length : 0));
  const mean = perSpine.reduce((a, b) => a + b, 0) / s.spines;
  return {
    perSpine, whole, fullest: mean ? Math.max(...perSpine) / mean : 0, used: s.web ? null : sum / (s.hosts * NIC),
    slowest: o.flows.length ? slowest / (s.web ? NIC : NIC / s.each) : 0, slowestName, undone,
  };
}

export interface Chance { fullest: number; used: number; slowest: number; atLeast: (n: number) => number }

// chance is what a uniform hash gives on average: n flows of a host each, that share links evenly, over so many spines which
// together carry all of them. It adds up all ways to spread them; null: there are too many.
export function chance(spines: number, n: number): Chance | null {
  if (n > 16) return null;
  const factorial = [1];
  for (let i = 1; i <= n; i++) factorial.push(factorial[i - 1] * i);
  const fits = n / spines; // flows that a spine carries at their full rate
  let fullest = 0, used = 0, slowest = 0;
  const most = new Array<number>(n + 1).fill(0);
  const go = (left: number, of: number, ways: number, max: number, busy: number) => {
    if (left === 1) {
      const m = Math.max(max, of), p = (ways / factorial[of]) * factorial[n] / spines ** n;
      most[m] += p;
      fullest += p * m;
      used += (p * (busy + Math.min(of, fits))) / n;
      slowest += p * Math.min(1, fits / m);
      return;
    }
    for (let i = 0; i <= of; i++) go(left - 1, of - i, ways / factorial[i], Math.max(max, i), busy + Math.min(i, fits));
  };
  go(spines, n, 1, 0, 0);
  return { fullest, used, slowest, atLeast: (m) => most.slice(m).reduce((a, b) => a + b, 0) };
}

// spreadOf is the spread of a figure over seeds: median, 5th and 95th percentile, each a value that there is.
export function spreadOf(values: number[]): { median: number; low: number; high: number } {
  const all = [...values].sort((a, b) => a - b), at = (p: number) => all[Math.min(all.length - 1, Math.floor(p * all.length))] ?? 0;
  return { median: at(0.5), low: at(0.05), high: at(0.95) };
}

// The address of a setting, and back.
export function toValues(s: Setting): Record<string, string> {
  return { spines: `${s.spines}`, hosts: `${s.hosts}`, each: `${s.each}`, web: s.web ? "1" : "", seed: `${s.seed}`, fail: s.failed ? `${s.failed}` : "", at: s.failed ? `${s.at}` : "" };
}
export function fromValues(v: Map<string, string>): Setting {
  const n = (name: string, otherwise: number) => Number(v.get(name) || otherwise);
  return bounded({ spines: n("spines", 4), hosts: n("hosts", 8), each: n("each", 1), web: v.get("web") === "1", seed: n("seed", 1), failed: n("fail", 0), at: n("at", 10) });
}
