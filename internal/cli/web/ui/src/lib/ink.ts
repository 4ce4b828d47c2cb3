import { get, type Inks } from "./api";

// Colours by meaning, as the report's drawings have them, in the scheme that the page has now.

export const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;

export class Palette {
  private colours = new Map<string, { light: string; dark: string; hatched: boolean }>();
  readonly causes: Inks["causes"];
  readonly events: Inks["events"];
  isDark = dark();

  constructor(a: Inks) {
    for (const c of a.inks) this.colours.set(c.name, c);
    this.causes = a.causes;
    this.events = a.events;
  }

  of(name: string): string {
    const c = this.colours.get(name) ?? this.colours.get("other")!;
    return this.isDark ? c.dark : c.light;
  }

  cause(column: string): string {
    return this.of(`cause-${column}`);
  }

  // hatched tells which inks lines over them tell from others of their colour.
  hatched(name: string): boolean {
    return this.colours.get(name)?.hatched ?? false;
  }

  // ramp is the colour of a share from 0 to 1; nothing is pale.
  ramp(v: number): string {
    return v > 0 ? this.of(`ramp-${step(v)}`) : this.isDark ? "#2a313a" : "#dfe4ea";
  }
}

export const STEPS = 11;
export const step = (v: number) => Math.max(0, Math.min(STEPS - 1, Math.ceil(v * STEPS) - 1));

let loaded: Promise<Palette> | undefined;
export const palette = () => (loaded ??= get<Inks>("inks").then((a) => new Palette(a)));

// workInk is the ink of an operation by its name, as in the report's timeline.
export function workInk(name: string, group: string): string {
  if (group) return "collective";
  if (/^forward/.test(name)) return "forward";
  if (/^backward/.test(name)) return "backward";
  if (/^loss/.test(name)) return "loss";
  if (/^update/.test(name)) return "update";
  return "other-work";
}
