import { STEPS, step, type Palette } from "../lib/ink";
import type { Picture } from "../lib/layout";
import { barAt, LINE, tickAt, type Frame, type Scene } from "./scene";

// CanvasScene draws with lines of a canvas, where there is no WebGL: edges of one colour in one path.
export class CanvasScene implements Scene {
  readonly name = "canvas";
  private c: CanvasRenderingContext2D;
  private picture!: Picture;
  private palette!: Palette;

  constructor(private canvas: HTMLCanvasElement) {
    this.c = canvas.getContext("2d", { willReadFrequently: true })!; // drawn by the CPU: a GPU that is only emulated takes longer
  }

  show(p: Picture, palette: Palette) {
    [this.picture, this.palette] = [p, palette];
    const scale = devicePixelRatio || 1;
    this.canvas.width = p.width * scale;
    this.canvas.height = p.height * scale;
    this.c.setTransform(scale, 0, 0, scale, 0, 0);
  }

  draw(f: Frame) {
    const c = this.c, edges = this.picture.edges, pal = this.palette;
    c.clearRect(0, 0, this.picture.width, this.picture.height);
    const paths: (Path2D | undefined)[] = [];
    edges.forEach((e, i) => {
      const s = f.use[i] > 0 ? 1 + step(f.use[i]) : 0;
      const p = (paths[s] ??= new Path2D());
      p.moveTo(e.x1, e.y1);
      p.lineTo(e.x2, e.y2);
    });
    c.lineCap = "butt";
    for (let s = 0; s <= STEPS; s++) {
      if (!paths[s]) continue;
      c.strokeStyle = s === 0 ? pal.ramp(0) : pal.of(`ramp-${s - 1}`);
      c.lineWidth = s === 0 ? 1 : LINE;
      c.stroke(paths[s]!);
    }
    this.strokes(f.paused, (v) => v > 0, pal.of("alarm"), 3.4, (i) => edges[i]);
    this.bars(f);
    this.ticks(f.marks, pal.of("marking"), 0);
    this.ticks(f.drops, pal.of("highlight"), 1);
    this.roots(f);
    if (f.selected >= 0 && edges[f.selected]) {
      const e = edges[f.selected];
      c.strokeStyle = pal.of("highlight");
      c.lineWidth = 11;
      c.globalAlpha = 0.22;
      c.beginPath();
      c.moveTo(e.x1, e.y1);
      c.lineTo(e.x2, e.y2);
      c.stroke();
      c.globalAlpha = 1;
    }
  }

  private strokes(v: Float64Array, want: (v: number) => boolean, colour: string, width: number, at: (i: number) => { x1: number; y1: number; x2: number; y2: number }) {
    const p = new Path2D();
    for (let i = 0; i < v.length; i++) {
      if (!want(v[i])) continue;
      const e = at(i);
      p.moveTo(e.x1, e.y1);
      p.lineTo(e.x2, e.y2);
    }
    this.c.strokeStyle = colour;
    this.c.lineWidth = width;
    this.c.stroke(p);
  }

  private bars(f: Frame) {
    this.strokes(f.queue, (v) => v > 0, this.palette.cause("queueing"), 7, (i) => {
      const [x1, y1, x2, y2] = barAt(this.picture.edges[i], f.queue[i] / f.deepest);
      return { x1, y1, x2, y2 };
    });
  }

  private ticks(v: Float64Array, colour: string, which: number) {
    this.c.fillStyle = colour;
    for (let i = 0; i < v.length; i++) {
      if (!(v[i] > 0)) continue;
      const [x, y] = tickAt(this.picture.edges[i], which);
      if (which) this.c.fillRect(x - 4, y - 4, 8, 8);
      else {
        this.c.beginPath();
        this.c.arc(x, y, 3.5, 0, 7);
        this.c.fill();
      }
    }
  }

  private roots(f: Frame) {
    const c = this.c;
    c.strokeStyle = this.palette.of("alarm");
    c.lineWidth = 1;
    c.setLineDash([3, 3]);
    c.beginPath();
    for (const r of f.roots) {
      const a = this.picture.edges[r.from], b = this.picture.edges[r.to];
      if (!a || !b || a === b) continue;
      c.moveTo(a.x1, a.y1);
      c.lineTo(b.x1, b.y1);
    }
    c.stroke();
    c.setLineDash([]);
  }

  end() {
    this.canvas.width = 0;
  }
}
