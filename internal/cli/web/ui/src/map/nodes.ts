import type { Palette } from "../lib/ink";
import type { Picture } from "../lib/layout";

// nodes draws the nodes of a picture, with their names where they fit.
export function nodes(under: HTMLCanvasElement, p: Picture, ink: Palette) {
  const scale = devicePixelRatio || 1, c = under.getContext("2d", { willReadFrequently: true })!, style = getComputedStyle(document.body);
  under.width = p.width * scale;
  under.height = p.height * scale;
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.font = `12px ${style.fontFamily}`;
  c.textAlign = "center";
  c.textBaseline = "middle";
  const ink2 = style.color, soft = ink.isDark ? "#1d232a" : "#f4f6f8", rule = ink.isDark ? "#a3acb8" : "#8b939f";
  for (const n of p.nodes) {
    c.fillStyle = soft;
    c.strokeStyle = n.open ? ink2 : rule;
    c.beginPath();
    c.roundRect(n.x - n.w / 2, n.y - n.h / 2, n.w, n.h, 4);
    c.fill();
    c.stroke();
    c.fillStyle = ink2;
    label(c, n);
  }
  c.fillStyle = rule;
  c.textAlign = "left";
  p.tiers.forEach((tier, row) => {
    const n = p.nodes.find((x) => x.tier === ["host", "leaf", "spine", "superspine"].indexOf(tier));
    if (n) c.fillText(tier === "host" ? "hosts" : tier === "leaf" ? "leaves, rails" : `${tier}s`, 2, row === 0 ? n.y + 26 : n.y - 24);
  });
}

// label writes a name where it fits: along the node, else its number, else nothing: the table has it.
function label(c: CanvasRenderingContext2D, n: Picture["nodes"][number]) {
  const [first, last] = [n.members[0], n.members[n.members.length - 1]];
  const digits = (s: string) => s.match(/\d+(?!.*\d)/)?.[0] ?? s;
  const texts = n.members.length > 1 ? [n.name, `${first.replace(/\d+$/, "")} ${digits(first)}-${digits(last)}`, `${digits(first)}-${digits(last)}`]
    : [n.name, digits(n.name)];
  const text = texts.find((x) => c.measureText(x).width <= n.w - 4);
  if (text) c.fillText(text, n.x, n.y + 0.5);
}
