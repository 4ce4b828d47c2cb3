// The address of what is shown: everything that a link to it needs is behind the #.
//
//   #/                                  the list of runs
//   #/run/digits-8gpu-1?t=1000&from=0&until=5000&sel=port:rail1/host1&kind=pause
//   #/compare?a=one&b=two
//   #/live?example=incast   a scenario to edit and run: an example's, or that of a run (?run=ID)
//   #/playground?spines=4&hosts=8&each=1&seed=3&fail=2&at=20   load balancing, side by side

export interface Route { page: "runs" | "run" | "compare" | "live" | "playground"; id: string; values: Map<string, string> }

export function parse(hash: string): Route {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const values = new Map(new URLSearchParams(query));
  if (path.startsWith("run/")) return { page: "run", id: decode(path.slice(4)), values };
  return { page: path === "compare" || path === "live" || path === "playground" ? path : "runs", id: "", values };
}

function decode(s: string): string {
  try {
    return decodeURIComponent(s);
  } catch {
    return s;
  }
}

export function write(r: Route): string {
  const q = new URLSearchParams([...r.values].filter(([, v]) => v !== "")).toString();
  const path = r.page === "run" ? `run/${encodeURIComponent(r.id)}` : r.page === "runs" ? "" : r.page;
  return `#/${path}${q ? `?${q}` : ""}`;
}

// What is selected: a port, a queue pair, a rank, a collective.
export type Selection = { kind: "port"; port: string } | { kind: "flow"; job: string; name: string; port: string } | { kind: "rank"; job: string; rank: number }
  | { kind: "collective"; job: string; name: string };

export function parseSelection(s: string): Selection | null {
  const parts = s.split("|");
  switch (parts[0]) {
    case "port":
      return parts[1] ? { kind: "port", port: parts[1] } : null;
    case "flow":
      return parts.length === 4 ? { kind: "flow", job: parts[1], name: parts[2], port: parts[3] } : null;
    case "collective": // a name may hold a bar
      return parts.length > 2 && s.length > 12 + parts[1].length ? { kind: "collective", job: parts[1], name: parts.slice(2).join("|") } : null;
    case "rank":
      return parts.length === 3 && /^\d+$/.test(parts[2]) ? { kind: "rank", job: parts[1], rank: Number(parts[2]) } : null;
  }
  return null;
}

export function writeSelection(s: Selection | null): string {
  switch (s?.kind) {
    case "port":
      return `port|${s.port}`;
    case "flow":
      return `flow|${s.job}|${s.name}|${s.port}`;
    case "collective":
      return `collective|${s.job}|${s.name}`;
    case "rank":
      return `rank|${s.job}|${s.rank}`;
  }
  return "";
}
