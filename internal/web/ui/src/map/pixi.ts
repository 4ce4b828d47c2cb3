import "pixi.js/unsafe-eval"; // its way without eval, which the page's policy forbids
import { Container, Graphics, Sprite, Texture, WebGLRenderer } from "pixi.js";
import { step, type Palette } from "../lib/ink";
import type { Picture } from "../lib/layout";
import { BAR, barAt, LINE, tickAt, type Frame, type Scene } from "./scene";

// PixiScene draws with WebGL: each edge is a sprite of one white pixel that keeps its place and changes its colour.
export class PixiScene implements Scene {
  readonly name = "webgl";
  private stage = new Container();
  private lines: Sprite[] = [];
  private bars: Sprite[] = [];
  private ticks: [Sprite[], Sprite[]] = [[], []];
  private over = new Graphics();
  private picture!: Picture;
  private tints: number[] = [];
  private palette!: Palette;
  private alarm = 0;

  private constructor(private renderer: WebGLRenderer) {}

  // make returns a scene, or throws where there is no WebGL.
  static async make(canvas: HTMLCanvasElement): Promise<PixiScene> {
    const renderer = new WebGLRenderer();
    await renderer.init({ canvas, backgroundAlpha: 0, antialias: true, resolution: devicePixelRatio || 1, width: 10, height: 10, preferWebGLVersion: 2 });
    return new PixiScene(renderer);
  }

  show(p: Picture, palette: Palette) {
    [this.picture, this.palette] = [p, palette];
    this.renderer.resize(p.width, p.height);
    this.stage.removeChildren().forEach((c) => c !== this.over && c.destroy({ children: true }));
    this.tints = [number(palette.ramp(0)), ...Array.from({ length: 11 }, (_, i) => number(palette.of(`ramp-${i}`)))];
    this.alarm = number(palette.of("alarm"));
    this.lines = p.edges.map((e) => this.line(e.x1, e.y1, e.x2, e.y2, LINE));
    this.bars = p.edges.map((e) => {
      const [x1, y1, x2, y2] = barAt(e, 1);
      const s = this.line(x1, y1, x2, y2, 7);
      s.tint = number(palette.cause("queueing"));
      s.visible = false;
      return s;
    });
    this.ticks = [this.squares(0, palette.of("marking")), this.squares(1, palette.of("highlight"))];
    this.stage.addChild(this.over);
  }

  // line adds a sprite from one point to another.
  private line(x1: number, y1: number, x2: number, y2: number, width: number): Sprite {
    const s = new Sprite(Texture.WHITE);
    s.anchor.set(0, 0.5);
    s.position.set(x1, y1);
    s.rotation = Math.atan2(y2 - y1, x2 - x1);
    s.width = Math.hypot(x2 - x1, y2 - y1) || 1;
    s.height = width;
    return this.stage.addChild(s);
  }

  private squares(which: number, colour: string): Sprite[] {
    return this.picture.edges.map((e) => {
      const s = new Sprite(Texture.WHITE);
      s.anchor.set(0.5);
      s.position.set(...tickAt(e, which));
      s.width = s.height = which ? 8 : 6;
      s.rotation = which ? 0 : Math.PI / 4;
      s.tint = number(colour);
      s.visible = false;
      return this.stage.addChild(s);
    });
  }

  draw(f: Frame) {
    const edges = this.picture.edges;
    for (let i = 0; i < edges.length; i++) {
      const s = this.lines[i], use = f.use[i], held = f.paused[i] > 0;
      const tint = held ? this.alarm : this.tints[use > 0 ? 1 + step(use) : 0];
      if (s.tint !== tint) s.tint = tint;
      const width = held ? 3.4 : use > 0 ? LINE : 1;
      if (Math.abs(s.height - width) > 0.01) s.height = width;
      const bar = this.bars[i], share = Math.min(f.queue[i] / f.deepest, 1);
      bar.visible = share > 0;
      if (bar.visible) bar.width = BAR * share;
      this.ticks[0][i].visible = f.marks[i] > 0;
      this.ticks[1][i].visible = f.drops[i] > 0;
    }
    const g = this.over.clear();
    for (const r of f.roots) {
      const a = edges[r.from], b = edges[r.to];
      if (a && b && a !== b) g.moveTo(a.x1, a.y1).lineTo(b.x1, b.y1);
    }
    if (f.roots.length) g.stroke({ width: 1, color: this.alarm, alpha: 0.6 });
    const e = edges[f.selected];
    if (e) {
      g.moveTo(e.x1, e.y1).lineTo(e.x2, e.y2).stroke({ width: 11, color: this.palette.of("highlight"), alpha: 0.22 });
    }
    this.renderer.render(this.stage);
  }

  end() {
    this.stage.destroy({ children: true });
    this.renderer.destroy();
  }
}

const number = (colour: string) => parseInt(colour.slice(1), 16);
