import "pixi.js/unsafe-eval"; // its way without eval, which the page's policy forbids
import { Buffer, BufferUsage, Container, Geometry, GlProgram, Mesh, Shader, WebGLRenderer } from "pixi.js";
import { step, type Palette } from "../lib/ink";
import type { Picture } from "../lib/layout";
import { barAt, LINE, MOST_ROOTS, tickAt, type Frame, type Scene } from "./scene";

// What a stroke is: a bar from one point to another, one with gaps, a disc between them.
const PLAIN = 0, DASHED = 1, ROUND = 2;
const LAYERS = 5; // of strokes that each edge has one of

// Each stroke is an instance of one square: where it goes from and to stays, how wide, how long and of which ink it is changes.
// Edges are smoothed here, by half a pixel: the browser's own smoothing costs several times as much where there is no GPU.
const VERTEX = `#version 300 es
in vec2 aCorner; // along 0 to 1, across -1 to 1
in vec4 aEnds;
in vec3 aLook; // width, share of the way, kind
in vec4 aInk;
uniform mat3 uProjectionMatrix, uWorldTransformMatrix, uTransformMatrix;
out vec2 vAt;
out vec3 vLook;
out vec4 vInk;
void main() {
  vec2 way = aEnds.zw - aEnds.xy;
  float whole = max(length(way), 0.001), half_ = aLook.x * 0.5, far = aLook.x > 0.0 ? half_ + 0.5 : 0.0;
  vec2 u = way / whole;
  vAt = vec2(aCorner.x * whole * aLook.y, aCorner.y * far);
  vLook = vec3(half_, whole * aLook.y, aLook.z);
  vInk = aInk;
  vec2 p = aEnds.xy + u * vAt.x + vec2(-u.y, u.x) * vAt.y;
  gl_Position = vec4((uProjectionMatrix * uWorldTransformMatrix * uTransformMatrix * vec3(p, 1.0)).xy, 0.0, 1.0);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in highp vec2 vAt;
in highp vec3 vLook;
in vec4 vInk;
out vec4 finalColor;
void main() {
  float off = vLook.z == ${ROUND}.0 ? length(vec2(vAt.x - vLook.y * 0.5, vAt.y)) : abs(vAt.y);
  float cover = clamp(vLook.x + 0.5 - off, 0.0, 1.0);
  if (vLook.z == ${DASHED}.0 && mod(vAt.x, 6.0) >= 3.0) cover = 0.0;
  finalColor = vec4(vInk.rgb * vInk.a, vInk.a) * cover;
}`;

// PixiScene draws with WebGL: all strokes by one call.
export class PixiScene implements Scene {
  readonly name = "webgl";
  private stage = new Container();
  private mesh: Mesh<Geometry, Shader> | undefined;
  private shader = new Shader({ glProgram: GlProgram.from({ vertex: VERTEX, fragment: FRAGMENT, name: "strokes" }), resources: {} });
  private ends = new Float32Array(0);
  private look = new Float32Array(0);
  private inks = new Uint32Array(0);
  private picture!: Picture;
  private tints: number[] = [];
  private roots = 0;

  private constructor(private renderer: WebGLRenderer) {}

  // make returns a scene, or throws where there is no WebGL.
  static async make(canvas: HTMLCanvasElement): Promise<PixiScene> {
    const renderer = new WebGLRenderer();
    await renderer.init({
      canvas, backgroundAlpha: 0, antialias: false, resolution: devicePixelRatio || 1, width: 10, height: 10, preferWebGLVersion: 2,
      skipExtensionImports: true, // what it would load is for text, events and filters
    });
    return new PixiScene(renderer);
  }

  // Strokes lie in this order, the last on top: thin lines of all edges, lines of those that are used, bars, marks, drops, then what
  // leads to roots, then what is chosen.
  show(p: Picture, palette: Palette) {
    this.picture = p;
    const n = p.edges.length, all = LAYERS * n + MOST_ROOTS + 1;
    this.renderer.resize(p.width, p.height);
    this.tints = [colour(palette.ramp(0)), ...Array.from({ length: 11 }, (_, i) => colour(palette.of(`ramp-${i}`))), colour(palette.of("alarm"))];
    [this.ends, this.look, this.inks] = [new Float32Array(4 * all), new Float32Array(3 * all), new Uint32Array(all)];
    const bar = colour(palette.cause("queueing")), mark = colour(palette.of("marking")), drop = colour(palette.of("highlight"));
    p.edges.forEach((e, i) => {
      for (const layer of [0, 1]) this.place(layer * n + i, e.x1, e.y1, e.x2, e.y2, 1 - layer, PLAIN, this.tints[0]);
      this.place(2 * n + i, ...barAt(e, 1), 0, PLAIN, bar);
      for (const which of [0, 1]) {
        const [x, y] = tickAt(e, which), r = which ? 4 : 3.5;
        this.place((3 + which) * n + i, x - r, y, x + r, y, 0, which ? PLAIN : ROUND, which ? drop : mark);
      }
    });
    for (let i = LAYERS * n; i < all - 1; i++) this.place(i, 0, 0, 0, 0, 0, DASHED, this.tints[12]);
    this.place(all - 1, 0, 0, 0, 0, 0, PLAIN, colour(palette.of("highlight"), 0.22));
    this.roots = 0;
    this.renew(all);
  }

  private place(i: number, x1: number, y1: number, x2: number, y2: number, width: number, kind: number, ink: number) {
    this.ends.set([x1, y1, x2, y2], 4 * i);
    this.look.set([width, 1, kind], 3 * i);
    this.inks[i] = ink;
  }

  // renew hands so many strokes to the GPU.
  private renew(all: number) {
    this.mesh?.geometry.destroy(true);
    this.mesh?.destroy();
    const of = (data: Float32Array | Uint32Array) => new Buffer({ data, usage: BufferUsage.VERTEX | BufferUsage.COPY_DST });
    const geometry = new Geometry({
      topology: "triangle-strip", instanceCount: all,
      attributes: {
        aCorner: { buffer: of(new Float32Array([0, -1, 0, 1, 1, -1, 1, 1])), format: "float32x2", stride: 8, offset: 0 },
        aEnds: { buffer: of(this.ends), format: "float32x4", stride: 16, offset: 0, instance: true },
        aLook: { buffer: of(this.look), format: "float32x3", stride: 12, offset: 0, instance: true },
        aInk: { buffer: of(this.inks), format: "unorm8x4", stride: 4, offset: 0, instance: true },
      },
    });
    this.mesh = this.stage.addChild(new Mesh({ geometry, shader: this.shader }));
  }

  draw(f: Frame) {
    const { look, inks, tints, picture: { edges } } = this, n = edges.length;
    for (let i = 0; i < n; i++) {
      const use = f.use[i], held = f.paused[i] > 0;
      inks[n + i] = tints[held ? 12 : use > 0 ? 1 + step(use) : 0];
      look[3 * (n + i)] = held ? 3.4 : use > 0 ? LINE : 0;
      const share = Math.min(f.queue[i] / f.deepest, 1);
      look[3 * (2 * n + i)] = share > 0 ? 7 : 0;
      look[3 * (2 * n + i) + 1] = share;
      look[3 * (3 * n + i)] = f.marks[i] > 0 ? 7 : 0;
      look[3 * (4 * n + i)] = f.drops[i] > 0 ? 8 : 0;
    }
    this.lead(f);
    const g = this.mesh!.geometry;
    for (const name of ["aLook", "aInk"]) g.attributes[name].buffer.update();
    this.renderer.render(this.stage);
  }

  // lead joins what is held to its root, and puts what is chosen under a broad stroke.
  private lead(f: Frame) {
    const { look, ends, picture: { edges } } = this, first = LAYERS * edges.length, chosen = first + MOST_ROOTS;
    let k = 0;
    for (const r of f.roots) {
      const a = edges[r.from], b = edges[r.to];
      if (!a || !b || a === b || k === MOST_ROOTS) continue;
      ends.set([a.x1, a.y1, b.x1, b.y1], 4 * (first + k));
      look[3 * (first + k++)] = 1;
    }
    for (let i = k; i < this.roots; i++) look[3 * (first + i)] = 0;
    const e = edges[f.selected], moved = k > 0 || this.roots > 0;
    this.roots = k;
    look[3 * chosen] = e ? 11 : 0;
    if (e) ends.set([e.x1, e.y1, e.x2, e.y2], 4 * chosen);
    if (e || moved) this.mesh!.geometry.attributes.aEnds.buffer.update();
  }

  end() {
    this.mesh?.geometry.destroy(true);
    this.stage.destroy({ children: true });
    this.renderer.destroy();
  }
}

// colour is a colour as its four bytes lie in memory.
function colour(text: string, alpha = 1): number {
  const v = parseInt(text.slice(1), 16);
  return (((Math.round(alpha * 255) << 24) | ((v & 0xff) << 16) | (v & 0xff00) | (v >> 16)) >>> 0);
}
