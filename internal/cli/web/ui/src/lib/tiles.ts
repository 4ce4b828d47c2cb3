// Tiles of the map: what all ports had in a few bins of time. See tileHeader in tile.go.

export interface Tile {
  version: number; level: number; index: number; from_ps: number; width_ps: number; bins: number; ports: number; figures: string[];
  values: Float64Array;
}

export const USE = 0, USE_HIGH = 1, PAUSED = 2, MARKS = 3, DROPS = 4, QUEUE = 5;
export const TILE_BINS = 16;

export function decode(b: ArrayBuffer): Tile {
  const length = new DataView(b).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(b, 4, length)));
  return { ...header, values: new Float64Array(b, 4 + length) };
}

// frameOf returns the values of a figure at a time: one for each port; null: the tile does not have it.
export function frameOf(t: Tile, figure: number, ps: number): Float64Array | null {
  const bin = Math.floor((ps - t.from_ps) / t.width_ps);
  if (bin < 0 || bin >= t.bins) return null;
  const at = (figure * t.bins + bin) * t.ports;
  return t.values.subarray(at, at + t.ports);
}

export interface Levels { interval_ps: number; base_level: number; top_level: number; intervals: number }

// levelFor is the level whose bins are as long as what passes between two frames: the finest where time stands still, and
// never finer than that passes by.
export function levelFor(l: Levels, psPerFrame: number): number {
  if (psPerFrame < 2 * l.interval_ps) return 0;
  let level = Math.max(l.base_level, 0);
  while (level < l.top_level && l.interval_ps * 2 ** (level + 1) <= psPerFrame) level++;
  return level;
}

export const indexOf = (l: Levels, level: number, ps: number) => Math.floor(ps / (l.interval_ps * 2 ** level) / TILE_BINS);

// Store keeps the tiles that were used last, and fetches what is missing, each once at a time.
export class Store {
  private tiles = new Map<string, Tile>();
  private coming = new Map<string, AbortController>();

  constructor(
    private fetcher: (level: number, index: number, signal: AbortSignal) => Promise<ArrayBuffer>,
    private arrived: () => void,
    private most = 24,
  ) {}

  peek(level: number, index: number): Tile | undefined {
    const key = `${level}/${index}`;
    const t = this.tiles.get(key);
    if (t) {
      this.tiles.delete(key); // the newest is last
      this.tiles.set(key, t);
    }
    return t;
  }

  want(level: number, index: number) {
    const key = `${level}/${index}`;
    if (this.tiles.has(key) || this.coming.has(key) || index < 0) return;
    while (this.coming.size >= 3) { // what was wanted first is not wanted most
      const [first, c] = this.coming.entries().next().value!;
      c.abort();
      this.coming.delete(first);
    }
    const control = new AbortController();
    this.coming.set(key, control);
    this.fetcher(level, index, control.signal)
      .then((b) => {
        this.tiles.set(key, decode(b));
        while (this.tiles.size > this.most) this.tiles.delete(this.tiles.keys().next().value!);
        this.arrived();
      })
      .catch(() => undefined)
      .finally(() => {
        if (this.coming.get(key) === control) this.coming.delete(key);
      });
  }

  clear() {
    for (const c of this.coming.values()) c.abort();
    this.coming.clear();
    this.tiles.clear();
  }
}
