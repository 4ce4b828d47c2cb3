import { describe, expect, it } from "vitest";
import { tableOf } from "./figure";

const axis = (unit: string) => ({ label: "value", unit, low: 0, high: 4 });

describe("a table beside a figure", () => {
  it("has each point of its lines, gaps too", () => {
    const t = tableOf({ name: "loss", title: "", keys: [{ id: "v", name: "loss" }], lines: { x: axis(""), y: axis("-"), series: [{ key: "v", x: [0, 1], y: [2.5, null] }] } });
    expect(t.rows.map((r) => r.map((c) => c.text))).toEqual([["loss", "0", "2.5", "-", "-"], ["loss", "1", "-", "-", "-"]]);
    expect(t.rows[0][2].value).toBe(2.5);
  });
  it("has each cell of a map by row and column", () => {
    const t = tableOf({ name: "traffic", title: "", map: { value: axis("B"), rows: ["a", "b"], row_name: "from", columns: ["a", "b"], cells: [[null, 2000], [1, 0]] } });
    expect(t.columns).toEqual(["from", "a", "b"]);
    expect(t.rows.map((r) => r.map((c) => c.text))).toEqual([["a", "-", "2 kB"], ["b", "1 B", "0 B"]]);
  });
  it("names columns by their place on an axis where they have no name", () => {
    const t = tableOf({ name: "m", title: "", map: { value: axis(""), rows: ["a"], row_name: "", x: axis("ps"), cells: [[1, 2, 3, 4]] } });
    expect(t.columns).toEqual(["", "0 ps", "1 ps", "2 ps", "3 ps"]);
  });
  it("says how many rows it leaves out", () => {
    const x = Array.from({ length: 9 }, (_, i) => i);
    const t = tableOf({ name: "l", title: "", lines: { x: axis(""), y: axis(""), series: [{ key: "k", x, y: x }] } }, 4);
    expect([t.rows.length, t.left]).toEqual([4, 5]);
  });
});
