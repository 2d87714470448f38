import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { defineTool } from "../../src/tools/define-tool.ts";
import { textField } from "../../src/tools/fields.ts";

const tool = defineTool({
  name: "sample",
  prompt: "First line.\n\nMore.\n",
  schema: z.strictObject({
    code: textField("What to run."),
    language: z.enum(["bash", "python"]).optional(),
    count: z.number().optional(),
    cells: z.array(z.strictObject({ code: z.string() })).optional(),
    flag: z.boolean().default(false),
  }),
  concurrency: "exclusive",
  readOnly: false,
  summary: ({ code }) => code,
  run: async ({ code }) => ({ isError: false, output: code, details: {} }),
});

function problem(raw: unknown): string | undefined {
  const check = tool.check(raw);
  return check.ok ? undefined : check.problem;
}

describe("an input is checked, and the one line names the field", () => {
  test.each([
    [{}, "field 'code' is required"],
    [{ code: 7 }, "field 'code' must be a string, not a number"],
    [{ code: null }, "field 'code' must be a string, not null"],
    [{ code: ["x"] }, "field 'code' must be a string, not an array"],
    [{ code: "a\0b" }, "field 'code' must not contain a NUL character"],
    [{ code: "x", foo: 1 }, "unknown field 'foo'"],
    [{ code: "x", foo: 1, bar: 2 }, "unknown field 'foo', 'bar'"],
    [{ code: "x", language: "ruby" }, "field 'language' must be one of bash, python, not 'ruby'"],
    [{ code: "x", language: 3 }, "field 'language' must be one of bash, python, not a number"],
    [{ code: "x", count: "3" }, "field 'count' must be a number, not a string"],
    [{ code: "x", count: null }, "field 'count' must be a number, not null"],
    [{ code: "x", count: Number.NaN }, "field 'count' must be a number, not NaN"],
    [{ code: "x", count: Number.POSITIVE_INFINITY }, "field 'count' must be a number, not Infinity"],
    [{ code: "x", flag: "yes" }, "field 'flag' must be true or false, not a string"],
    [{ code: "x", cells: {} }, "field 'cells' must be an array, not an object"],
    [{ code: "x", cells: [{ code: "a" }, {}] }, "field 'cells[1].code' is required"],
    [{ code: "x", cells: [{ code: "a", titel: "b" }] }, "unknown field 'titel' in 'cells[0]'"],
    [[], "input must be a JSON object, not an array"],
    ["text", "input must be a JSON object, not a string"],
    [null, "input must be a JSON object, not null"],
    [undefined, "input must be a JSON object, not nothing"],
  ])("%j: %s", (raw, line) => {
    expect(problem(raw)).toBe(line);
  });

  test("a good one comes with its defaults", () => {
    expect(tool.check({ code: "x" })).toEqual({ ok: true, input: { code: "x", flag: false } });
  });
});

test("the JSON schema is what a provider wants: closed, and without noise", () => {
  expect(tool.inputSchema).toEqual({
    type: "object",
    properties: {
      code: { type: "string", description: "What to run." },
      language: { type: "string", enum: ["bash", "python"] },
      count: { type: "number" },
      cells: {
        type: "array",
        items: {
          type: "object",
          properties: { code: { type: "string" } },
          required: ["code"],
          additionalProperties: false,
        },
      },
      flag: { type: "boolean", default: false },
    },
    required: ["code"],
    additionalProperties: false,
  });
});

test("a summary is one line of bearable length", () => {
  expect(tool.summary({ code: "  if x:\n    y\n", flag: false })).toBe("if x: ⏎ y");
  expect(tool.summary({ code: "z".repeat(5000), flag: false })).toBe(`${"z".repeat(199)}…`);
});
