// The runs of a collective as lines over time: how long each took, and how long its ranks waited for the last to begin.

import type { CollectiveRun, CollectiveRuns, Line, Lines } from "./api";

// A run counts in each bin that it reaches into: as in other plots a value stands for its whole bin, and of several there is the
// mean between the least and the greatest. A bin without a run has none.
export function linesOf(a: CollectiveRuns, from: number, until: number, bins: number): Lines {
  const width_ps = Math.max(Math.ceil((until - from) / bins), 1);
  const figure = (name: string, value: (r: CollectiveRun) => number): Line => {
    const low: number[] = [], mean: number[] = [], high: number[] = [], n = new Array<number>(bins).fill(0);
    for (let b = 0; b < bins; b++) low[b] = mean[b] = high[b] = null as unknown as number;
    for (const r of a.runs) {
      const v = value(r), last = Math.min(Math.floor((Math.max(r.end_ps - 1, r.start_ps) - from) / width_ps), bins - 1);
      for (let b = Math.max(Math.floor((r.start_ps - from) / width_ps), 0); b <= last; b++) {
        low[b] = n[b] ? Math.min(low[b], v) : v;
        high[b] = n[b] ? Math.max(high[b], v) : v;
        mean[b] = (mean[b] ?? 0) + (v - (mean[b] ?? 0)) / ++n[b];
      }
    }
    return { name, unit: "ps", low, mean, high };
  };
  return {
    kind: "collective", port: "", class: -1, job: a.job, name: a.name, from_ps: from, width_ps, level: 1, interval_ps: width_ps,
    bins: a.runs.length ? bins : 0, figures: [figure("took", (r) => r.end_ps - r.start_ps), figure("until the last rank began", (r) => r.last_ps - r.start_ps)],
  };
}
