import { expect, test } from "vitest";
import { at, meaning, names, values, type Schema } from "./schema";

const root: Schema = {
  type: "object", required: ["cluster"],
  properties: {
    seed: { description: "draws\nDefault: 1\nAccepts: a whole number", default: 1, type: "integer" },
    cluster: { description: "the hosts", type: "object", properties: { hosts: { description: "how many\nSource: a book", type: "integer" } } },
    fabric: { type: "object", properties: {
      balance: { description: "how packets choose\nDefault: ecmp", default: "ecmp", type: "string", enum: ["ecmp", "spray"] },
      either: { anyOf: [{ type: "object", required: ["deep"], properties: { deep: {}, flat: {} } }, { type: "object", properties: { deep: {} } }] },
      felt: { anyOf: [{ const: "none" }, { type: "object", properties: { deep: { type: "boolean" } } }] },
    } },
    jobs: { type: "array", items: { $ref: "#/$defs/job" } },
    named: { type: "object", additionalProperties: { $ref: "#/$defs/job" } },
  },
  $defs: { job: { type: "object", required: ["name"], properties: { name: { description: "its name" }, then: { $ref: "#/$defs/job" } } } },
};

const texts = (all: { text: string }[]) => all.map((x) => x.text);

test("keys of a mapping, through lists, references, alternatives and free names", () => {
  expect(texts(names(root, []))).toEqual(["seed", "cluster", "fabric", "jobs", "named"]);
  expect(names(root, []).filter((x) => x.required).map((x) => x.text)).toEqual(["cluster"]);
  expect(names(root, []).filter((x) => x.opens).map((x) => x.text)).toEqual(["cluster", "fabric"]);
  expect(texts(names(root, ["jobs", 3, "then", "then"]))).toEqual(["name", "then"]);
  expect(texts(names(root, ["named", "any"]))).toEqual(["name", "then"]);
  expect(texts(names(root, ["fabric", "felt"]))).toEqual(["deep"]);
  expect(names(root, ["nowhere", 1])).toEqual([]);
  const key = (text: string, required: boolean) => ({ text, meaning: null, opens: false, required, default: false });
  expect(names(root, ["fabric", "either"])).toEqual([key("deep", true), key("flat", false)]); // what one alternative requires
  expect(names(root, ["fabric", "felt"])).toEqual([key("deep", false)]);
});

test("values with names, the usual one among them", () => {
  expect(texts(values(root, ["fabric", "balance"]))).toEqual(["ecmp", "spray"]);
  const value = (text: string, usual: boolean) => ({ text, meaning: null, opens: false, required: false, default: usual });
  expect(values(root, ["fabric", "balance"])).toEqual([value("ecmp", true), value("spray", false)]);
  expect(texts(values(root, ["fabric", "felt"]))).toEqual(["none"]);
  expect(texts(values(root, ["fabric", "felt", "deep"]))).toEqual(["true", "false"]);
  expect(texts(values(root, ["seed"]))).toEqual(["1"]);
  expect(values(root, ["jobs", 0, "name"])).toEqual([]);
});

test("what a key means, its default, what it accepts and where that is from", () => {
  expect(meaning(at(root, ["seed"]))).toEqual({ says: "draws", default: "1", accepts: "a whole number" });
  expect(meaning(at(root, ["cluster", "hosts"]))).toEqual({ says: "how many", source: "a book" });
  expect(meaning(at(root, ["jobs", 0]))).toBeNull();
});
