// Speeds of the scrubber: picoseconds of the run in a second of the wall, by powers of ten from 1 ns to the whole run.

export function speeds(end: number): number[] {
  const all: number[] = [];
  for (let s = 1e3; s < end; s *= 10) all.push(s);
  return [...all, Math.max(end, 1e3)];
}

// tick is where the scrubber is so many milliseconds later; at the end of what is shown it stays.
export function tick(t: number, speed: number, ms: number, end: number): { t: number; ended: boolean } {
  const next = t + (speed * Math.min(ms, 100)) / 1000;
  return next >= end ? { t: end, ended: true } : { t: next, ended: false };
}

// zoomed is a window of time made longer or shorter by a factor around a place in it, within the run and not under 1 ns.
export function zoomed(from: number, until: number, at: number, factor: number, end: number): [number, number] {
  const width = Math.min(Math.max((until - from) * factor, 1e3), end);
  const share = until > from ? (at - from) / (until - from) : 0.5;
  const start = Math.min(Math.max(at - share * width, 0), Math.max(end - width, 0));
  return [Math.round(start), Math.round(Math.min(start + width, end))];
}
