/** The one check of JSON schemas: what draft 2020-12 can say, and how a problem is worded. */

import { expect, spyOn, test } from "bun:test";
import { compileSchema } from "../../src/schema/json-schema.ts";

const integer = { type: "integer" };
/** As text: to the linter it looks like a promise. */
const condition = JSON.parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}}');

test.each<[string, object, unknown, unknown]>([
  ["a definition", { $defs: { n: integer }, properties: { a: { $ref: "#/$defs/n" } } }, { a: 1 }, { a: "x" }],
  ["itself", { properties: { next: { $ref: "#" }, n: integer } }, { next: { n: 1 } }, { next: { n: "x" } }],
  ["a condition", condition, { a: 1, b: 1 }, { a: 1 }],
  ["what must not be", { not: { required: ["a"] } }, {}, { a: 1 }],
  ["a tuple", { type: "array", prefixItems: [integer], items: false }, [1], [1, 2]],
  ["what goes together", { dependentRequired: { a: ["b"] } }, { b: 1 }, { a: 1 }],
  ["nothing else", { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
  ["a field of no type", { required: ["a"] }, { a: 1 }, {}],
  ["a value", { const: { format: "x" } }, { format: "x" }, {}],
])("%s", (_, schema, good, bad) => {
  const problemOf = compileSchema(schema, "it");
  expect(problemOf(good)).toBeUndefined();
  expect(problemOf(bad)).toEqual(expect.stringContaining("must"));
});

test("a problem names its field, and the value by the given word", () => {
  const schema = { type: "object", properties: { at: { properties: { n: integer } } }, required: ["at"] };
  const problemOf = compileSchema(schema, "the answer");
  expect([problemOf({ at: { n: "x" } }), problemOf({}), problemOf([])]).toEqual([
    "field 'at.n' must be integer",
    "the answer must have required property 'at'",
    "the answer must be object",
  ]);
});

test("a problem is worded as people write", () => {
  const problemOf = compileSchema({ type: "string", minLength: 2 }, "it");
  expect(problemOf("A")).toBe("it must not have fewer than 2 characters");
});

test("two schemas of one name are two, and what is no schema is an error", () => {
  const named = (type: string) => compileSchema({ $id: "https://example.com/s", type }, "it");
  expect([named("string")("x"), named("number")("x")]).toEqual([undefined, "it must be number"]);
  expect(() => compileSchema({ $ref: "#/nowhere" }, "it")).toThrow();
});

test("a format that nobody knows checks nothing, and is not written to the terminal", () => {
  const warn = spyOn(console, "warn");
  const check = (format: string) =>
    compileSchema({ properties: { format: { type: "string", format } } }, "it");
  expect([check("colour")({ format: "x" }), check("email")({ format: "x" })]).toEqual([
    undefined,
    `field 'format' must match format "email"`,
  ]);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
