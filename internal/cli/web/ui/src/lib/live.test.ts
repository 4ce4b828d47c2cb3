import { expect, test } from "vitest";
import type { Job, Told } from "./api";
import { active, far, offset, packed, said, size, state, words } from "./live";

test("a problem's place is found by characters, not by units of UTF-16", () => {
  const text = "a: 1\n# \u{1f600}x\nlast";
  expect(offset(text, 1, 1)).toBe(0);
  expect(offset(text, 2, 1)).toBe(5);
  expect(offset(text, 2, 4)).toBe(9);
  expect(text[offset(text, 2, 4)]).toBe("x");
  expect(offset(text, 3, 3)).toBe(text.indexOf("last") + 2);
  expect(offset(text, 2, 99)).toBe(text.indexOf("\nlast"));
  expect(offset(text, 99, 1)).toBe(text.length);
});

test("problems in words", () => {
  expect(said({ severity: "error", file: "scenario.yaml", line: 3, column: 5, path: "cluster.hotss", message: "unknown key", hint: "did you mean hosts?" }))
    .toBe("line 3, column 5: cluster.hotss: unknown key; did you mean hosts?");
  expect(said({ severity: "error", file: "net.txt", line: 1, column: 2, message: "no" })).toBe("net.txt, line 1, column 2: no");
  expect(said({ severity: "warning", file: "scenario.yaml", message: "no" })).toBe("no");
});

const told: Told = { phase: "training", done: 3, total: 12, loss: 0.5, virtual_ps: 2e9, packet_hops: 1, part: 0, cpu_seconds: 1, memory_bytes: 1 };

test("progress in words", () => {
  expect(words(told)).toBe("training 3 of 12, loss 0.5000, 2 ms");
  expect(words({ ...told, phase: "flows", loss: undefined, done: 1e6, total: 4e6 })).toBe("flows 1 MB of 4 MB, 2 ms");
  expect(words(null)).toBe("");
  expect([far(told), far({ ...told, part: 0.9 }), far({ ...told, total: 0 }), far(null)]).toEqual([0.25, 0.9, null, null]);
});

test("states", () => {
  const j: Job = { id: "1", name: "x", state: "waiting", place: 2, run: "", progress: null, memory_bytes: 1, why: "" };
  expect([state(j), active(j)]).toEqual(["waits, 2. in the line", true]);
  expect([state({ ...j, state: "failed", why: "it is late" }), active({ ...j, state: "failed" })]).toEqual(["failed: it is late", false]);
});

test("files are text, or base64 where they are none", async () => {
  const text = await packed("a", new TextEncoder().encode("h\u00e9").buffer as ArrayBuffer);
  expect(text).toEqual({ name: "a", text: "h\u00e9" });
  expect(size(text)).toBe(3);
  const binary = await packed("b", new Uint8Array([255, 0, 128]).buffer as ArrayBuffer);
  expect(binary).toEqual({ name: "b", base64: btoa("\xff\x00\x80") });
  expect(size(binary)).toBe(3);
});
