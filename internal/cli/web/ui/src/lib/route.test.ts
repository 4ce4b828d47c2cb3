import { expect, test } from "vitest";
import { parse, parseSelection, write, writeSelection, type Selection } from "./route";

test("a permalink holds run, time, zoom and selection", () => {
  const hash = "#/run/runs%2Fincast?t=1000&from=0&until=5000&sel=port%7Crail1%2Fhost1";
  const r = parse(hash);
  expect(r.page).toBe("run");
  expect(r.id).toBe("runs/incast");
  expect(parseSelection(r.values.get("sel")!)).toEqual({ kind: "port", port: "rail1/host1" });
  expect(write(r)).toBe(hash);
});

test("selections are written and read", () => {
  const all: Selection[] = [
    { kind: "port", port: "a/b#2" }, { kind: "flow", job: "", name: "flow 1", port: "host1/rail1" }, { kind: "rank", job: "x", rank: 7 },
    { kind: "collective", job: "", name: "allreduce.bucket1" }, { kind: "collective", job: "a", name: "x|y" },
  ];
  for (const s of all) expect(parseSelection(writeSelection(s))).toEqual(s);
  for (const bad of ["", "port|", "flow|x", "rank|x|y", "collective", "collective|x", "collective|x|", "<script>"]) expect(parseSelection(bad)).toBe(null);
});

test("a scenario to edit has an address", () => {
  const hash = "#/live?example=incast";
  expect(parse(hash).page).toBe("live");
  expect(write(parse(hash))).toBe(hash);
});

test("nonsense is the list of runs", () => {
  expect(parse("#/%E0%A4%A").page).toBe("runs");
  expect(parse("#/run/%E0%A4%A").id).toBe("%E0%A4%A");
});
