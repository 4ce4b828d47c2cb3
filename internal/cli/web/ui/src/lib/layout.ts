import type { Port } from "./api";

// Where nodes and links of a fabric lie: hosts at the bottom, each tier of switches above. Where there are too many links,
// nodes of a tier are drawn as bands that stand for several, until one is opened.

export interface Node { name: string; tier: number; members: string[]; x: number; y: number; w: number; h: number; open: boolean }
// An edge is one direction of what joins two nodes that are drawn: one port, or of bands several.
export interface Edge { from: Node; to: Node; ports: number[]; x1: number; y1: number; x2: number; y2: number }
export interface Picture { nodes: Node[]; edges: Edge[]; of: Int32Array; tiers: string[]; banded: boolean; width: number; height: number }

export const MOST_LINKS = 2000; // cables, of two directions each
const BANDS = 16; // of a tier

const ORDER = ["host", "leaf", "spine", "superspine"];

// tierOf guesses the tier of a node that is no port's sender yet, as in a run that goes on, from its name.
export function tierOf(name: string, known: Map<string, string>): number {
  const tier = known.get(name) ?? "";
  const at = ORDER.indexOf(tier);
  if (at >= 0) return at;
  const word = name.replace(/[-_.\d].*$/, "").toLowerCase();
  if (word.startsWith("host") || word.startsWith("server") || word.startsWith("node")) return 0;
  if (word.startsWith("superspine") || word.startsWith("core")) return 3;
  if (word.startsWith("spine") || word.startsWith("agg")) return 2;
  return 1;
}

const collator = new Intl.Collator("en", { numeric: true });
export const natural = (a: string, b: string) => collator.compare(a, b);

// groups names the nodes of a tier that are drawn, in order: each its own, or bands.
export function groups(names: string[], banded: boolean, opened: Set<string>): { name: string; members: string[]; open: boolean }[] {
  const all = [...names].sort(natural);
  if (!banded || all.length <= BANDS) return all.map((n) => ({ name: n, members: [n], open: false }));
  const size = Math.ceil(all.length / BANDS);
  const out: { name: string; members: string[]; open: boolean }[] = [];
  for (let i = 0; i < all.length; i += size) {
    const members = all.slice(i, i + size);
    const name = members.length === 1 ? members[0] : `${members[0]} to ${members[members.length - 1]}`;
    if (opened.has(name)) members.forEach((m) => out.push({ name: m, members: [m], open: true }));
    else out.push({ name, members, open: false });
  }
  return out;
}

export function layout(ports: Port[], width: number, opened: Set<string>): Picture {
  const tierNames = new Map<string, string>();
  for (const p of ports) if (p.tier) tierNames.set(p.from, p.tier);
  const byTier: string[][] = [[], [], [], []];
  const seen = new Set<string>();
  for (const p of ports) {
    for (const n of [p.from, p.to]) {
      if (!seen.has(n)) {
        seen.add(n);
        byTier[tierOf(n, tierNames)].push(n);
      }
    }
  }
  const banded = ports.length / 2 > MOST_LINKS;
  const used = ORDER.map((_, i) => i).filter((i) => byTier[i].length > 0);
  const nodes: Node[] = [];
  const of = new Map<string, Node>();
  const gap = used.length > 2 ? 170 : 230;
  const height = 80 + gap * Math.max(used.length - 1, 0) + 40;
  used.forEach((tier, row) => {
    const list = groups(byTier[tier], banded, opened);
    const step = (width - 40) / list.length;
    list.forEach((g, i) => {
      const w = Math.max(Math.min(step - 6, 110), 3);
      const node = {
        name: g.name, tier, members: g.members, open: g.open, w, h: 26, x: 20 + step * (i + 0.5),
        y: height - 44 - row * gap,
      };
      nodes.push(node);
      g.members.forEach((m) => of.set(m, node));
    });
  });
  return { nodes, ...join(ports, of), tiers: used.map((i) => ORDER[i]), banded, width, height };
}

// join makes an edge for each direction between two nodes, of parallel cables one each unless they are bands'.
function join(ports: Port[], of: Map<string, Node>) {
  const edges: Edge[] = [];
  const edgeOf = new Int32Array(ports.length);
  const known = new Map<string, number>();
  ports.forEach((p, i) => {
    const a = of.get(p.from)!, b = of.get(p.to)!;
    const bands = a.members.length > 1 || b.members.length > 1;
    const key = bands ? `${a.name}>${b.name}` : `${p.port}>`;
    let at = known.get(key);
    if (at === undefined) {
      at = edges.length;
      known.set(key, at);
      edges.push({ from: a, to: b, ports: [], x1: 0, y1: 0, x2: 0, y2: 0 });
    }
    edges[at].ports.push(i);
    edgeOf[i] = at;
  });
  place(edges);
  return { edges, of: edgeOf };
}

// place spreads the ends of edges over the sides of their nodes, in the order of the nodes at their other ends, so that
// two directions lie side by side.
function place(edges: Edge[]) {
  const ends = new Map<Node, { edge: Edge; first: boolean; other: Node }[]>();
  for (const e of edges) {
    for (const [node, other, first] of [[e.from, e.to, true], [e.to, e.from, false]] as const) {
      if (!ends.has(node)) ends.set(node, []);
      ends.get(node)!.push({ edge: e, first, other });
    }
  }
  for (const [node, list] of ends) {
    for (const up of [true, false]) {
      const side = list.filter((x) => (x.other.y < node.y || (x.other.y === node.y && x.other.x > node.x)) === up);
      side.sort((a, b) => a.other.x - b.other.x || (a.first === up ? -1 : 1) - (b.first === up ? -1 : 1));
      side.forEach((x, i) => {
        const at = node.x - node.w / 2 + (node.w * (i + 0.5)) / side.length;
        const y = node.y + (up ? -node.h / 2 : node.h / 2);
        if (x.first) [x.edge.x1, x.edge.y1] = [at, y];
        else [x.edge.x2, x.edge.y2] = [at, y];
      });
    }
  }
}

// first returns the so many that come first by an order; of what is alike what is before the other. It is for few of many.
export function first<T>(all: T[], most: number, order: (a: T, b: T) => number): T[] {
  const best: T[] = [];
  for (const x of all) {
    if (most === 0 || (best.length === most && order(best[most - 1], x) <= 0)) continue;
    let i = best.length;
    while (i > 0 && order(best[i - 1], x) > 0) i--;
    best.splice(i, 0, x);
    if (best.length > most) best.pop();
  }
  return best;
}

// nearest returns the edge closest to a point, within so many pixels; -1: there is none.
export function nearest(edges: Edge[], x: number, y: number, within: number): number {
  let best = -1, least = within;
  edges.forEach((e, i) => {
    const dx = e.x2 - e.x1, dy = e.y2 - e.y1, l = dx * dx + dy * dy || 1;
    // the half at its sender is a direction's own, where both lie close
    const t = Math.max(0, Math.min(1, ((x - e.x1) * dx + (y - e.y1) * dy) / l));
    const d = Math.hypot(e.x1 + t * dx - x, e.y1 + t * dy - y) + (t > 0.5 ? 1 : 0);
    if (d < least) [best, least] = [i, d];
  });
  return best;
}
