import { expect, test } from "vitest";
import { keyAt, keys, placeAt } from "./yaml";

// at says what is typed where a text has a bar: the path, whether it is a key, and what was typed of it.
function at(text: string): string {
  const offset = text.indexOf("|"), p = placeAt(text.replace("|", ""), offset);
  return `${p.key ? "key of" : "value of"} ${p.path.join(".")} "${text.slice(p.from, offset)}"`;
}

test("what is typed in blocks", () => {
  expect(at("|")).toBe('key of  ""');
  expect(at("clu|")).toBe('key of  "clu"');
  expect(at("cluster:\n  ho|")).toBe('key of cluster "ho"');
  expect(at("cluster:\n  hosts: 2\n  |")).toBe('key of cluster ""');
  expect(at("cluster:\n  hosts: 2\n|")).toBe('key of  ""');
  expect(at("cluster:\n  hosts: 2\n  nic:\n    ra|\nfabric: {}")).toBe('key of cluster.nic "ra"');
  expect(at("fabric:\n  balance: |")).toBe('value of fabric.balance ""');
  expect(at("fabric:\n  balance: sp|")).toBe('value of fabric.balance "sp"');
  expect(at("fabric:\n  balance: spray # be|")).toBe('value of  ""');
  expect(at("# ca|")).toBe('value of  "# ca"');
  expect(at('a:\n  "b c": x|')).toBe('value of a.b c "x"');
  expect(at("a:\n  url: http://x:1\n  b|")).toBe('key of a "b"');
});

test("what is typed in lists", () => {
  expect(at("job:\n  flows:\n    - from: a\n      t|")).toBe('key of job.flows.0 "t"');
  expect(at("job:\n  flows:\n    - from: a\n    - t|")).toBe('key of job.flows.1 "t"');
  expect(at("job:\n  flows:\n  - from: a\n  - from: b\n    to: |")).toBe('value of job.flows.1.to ""');
  expect(at("job:\n  flows:\n  - from: a\n  na|")).toBe('key of job "na"');
  expect(at("faults:\n  - |")).toBe('key of faults.0 ""');
  expect(at("a:\n  - - x\n    - y|")).toBe('key of a.0.1 "y"');
});

test("what is typed in flows", () => {
  expect(at("fabric: {bal|")).toBe('key of fabric "bal"');
  expect(at("fabric: {balance: s|}")).toBe('value of fabric.balance "s"');
  expect(at("fabric: {balance: spray, |}")).toBe('key of fabric ""');
  expect(at("fabric: {hash: {function: xor, se|")).toBe('key of fabric.hash "se"');
  expect(at("fabric: {hash: {function: xor}, |")).toBe('key of fabric ""');
  expect(at("job:\n  flows: [{from: a}, {from: b, to: |}]")).toBe('value of job.flows.1.to ""');
  expect(at("job:\n  flows: [\n    {from: a},\n    {fr|}]")).toBe('key of job.flows.1 "fr"');
  expect(at("job:\n  order: [1, 2, |]\n")).toBe('value of job.order.2 ""');
  expect(at("fabric: {hash: {function: xor}}\nse|")).toBe('key of  "se"');
  expect(at('a: {b: "x, {y: |"}')).toBe('value of a.b ""x, {y: "');
  expect(at('a: {b: "x\\", c: y", d|}')).toBe('key of a "d"'); // in double quotes a backslash takes the quote away
  expect(at("a: {b: 'x\\', d|}")).toBe('key of a "d"'); // in single quotes it does not
});

test("texts of several lines hold no keys", () => {
  const text = "net: |\n  layer: dense\n  more: x\nseed: 1\n";
  expect(keys(text).map((k) => k.name)).toEqual(["net", "seed"]);
});

test("keys of flows that are written without spaces", () => {
  const text = "a: {b: 1,c: {d: 2},e: 3}\n";
  expect(keys(text).map((k) => text.slice(k.from, k.to))).toEqual(["a", "b", "c", "d", "e"]);
});

test("keys and where they lie", () => {
  const text = "cluster:\n  hosts: 2 # nodes: many\nfabric: {hash: {seed: 3}, 'links': {rate: 1Gb/s}}\r\njob:\n  flows:\n    - from: x\n";
  expect(keys(text).map((k) => [...k.path, k.name].join("."))).toEqual(
    ["cluster", "cluster.hosts", "fabric", "fabric.hash", "fabric.hash.seed", "fabric.links", "fabric.links.rate", "job", "job.flows", "job.flows.0.from"]);
  for (const k of keys(text)) expect(text.slice(k.from, k.to).replace(/'/g, "")).toBe(k.name);
  expect(text.slice(keys(text)[4].value, keys(text)[4].value + 1)).toBe("3");
  expect(keyAt(text, text.indexOf("hosts") + 2)?.name).toBe("hosts");
  expect(keyAt(text, text.indexOf("2 #"))).toBeUndefined();
});

// Each key that an example writes is found where it stands, however it is cut off behind it.
test("of every example each key is where it says", () => {
  const all = import.meta.glob("../../../../../../examples/*.yaml", { query: "?raw", import: "default", eager: true }) as Record<string, string>;
  expect(Object.keys(all).length).toBeGreaterThan(25);
  for (const [file, text] of Object.entries(all)) {
    const found = keys(text);
    expect(found.length, file).toBeGreaterThan(3);
    for (const k of found) {
      const p = placeAt(text, k.to);
      expect([p.path.join("."), p.key, p.from], `${file}: ${k.name}`).toEqual([k.path.join("."), true, k.from]);
      const v = placeAt(text, k.value);
      if (!/^[[{|>]/.test(text.slice(k.value)) && text.slice(k.value)[0] !== "\n" && text[k.value] !== "#") {
        expect([v.path.join("."), v.key], `${file}: value of ${k.name}`).toEqual([[...k.path, k.name].join("."), false]);
      }
    }
  }
});
