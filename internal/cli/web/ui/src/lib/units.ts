// Values as people read them. Times are integer picoseconds, sizes bytes, rates bits per second.

function scaled(v: number, units: [number, string][]): string {
  if (v === 0) return `0 ${units[0][1]}`;
  let [scale, unit] = units[0];
  for (const [s, u] of units) if (Math.abs(v) >= s * 0.99995) [scale, unit] = [s, u];
  const n = v / scale;
  const digits = Math.abs(n) >= 1000 ? 0 : Math.abs(n) >= 100 ? 1 : Math.abs(n) >= 10 ? 2 : 3;
  return `${Number.isInteger(n) ? n : n.toFixed(digits)} ${unit}`;
}

export const time = (ps: number) => scaled(ps, [[1, "ps"], [1e3, "ns"], [1e6, "us"], [1e9, "ms"], [1e12, "s"]]);
export const bytes = (b: number) => scaled(b, [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]]);
export const rate = (bps: number) => scaled(bps, [[1, "b/s"], [1e3, "kb/s"], [1e6, "Mb/s"], [1e9, "Gb/s"], [1e12, "Tb/s"]]);
export const percent = (f: number) => `${(100 * f).toFixed(f !== 0 && f < 0.0995 ? 2 : 1)} %`;

const grouped = new Intl.NumberFormat("en-US"); // made once: toLocaleString makes one for each number

export function count(n: number): string {
  return Math.round(n) === n ? grouped.format(n) : n.toFixed(2);
}

// exactTime is a time to the picosecond, in groups of three digits: 1.234 567 890 ms is 1 234 567 890 ps.
export function exactTime(ps: number): string {
  return `${Math.round(ps).toString().replace(/\B(?=(\d{3})+(?!\d))/g, " ")} ps`;
}

// figure prints a headline figure by its unit, as report's JSON names it.
export function figure(value: number | string, unit: string): string {
  if (typeof value !== "number") return value;
  switch (unit) {
    case "ps":
      return time(value);
    case "B":
      return bytes(value);
    case "bit/s":
    case "bps":
    case "b/s":
      return rate(value);
    case "B/s":
      return `${bytes(value)}/s`;
    case "1":
      return percent(value);
    case "1/s":
      return `${scaled(value, [[1, ""], [1e3, "k"], [1e6, "M"]]).trim()}/s`;
    case "-":
      return Number(value.toPrecision(4)).toString();
  }
  return count(value);
}
