import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { OmpError, type ToolContext } from "../../src/protocol/index.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import { ToolError } from "../../src/tools/tool-error.ts";

const context: ToolContext = {
  sessionId: "s",
  cwd: "/",
  projectRoot: "/",
  signal: new AbortController().signal,
  onUpdate: () => undefined,
};

function tool(name: string, run: (text: string) => string) {
  return defineTool({
    name,
    prompt: name,
    schema: z.strictObject({ text: z.string() }),
    concurrency: "parallel",
    readOnly: true,
    summary: ({ text }) => `${name} ${text}`,
    run: async ({ text }) => ({ isError: false, output: run(text), details: {} }),
  });
}

function fails(name: string, error: Error) {
  return tool(name, () => {
    throw error;
  });
}

const parts = { operation: "broken", issue: "no\n such thing", code: "ENOENT" };
const registry = new ToolRegistry([
  tool("shout", (text) => text.toUpperCase()),
  fails("broken", new ToolError(parts, { details: { cwd: "/x" } })),
  fails("foreign", new OmpError({ operation: "kernel", issue: "gone", code: "DEAD" })),
  fails("bug", new Error("oops")),
]);

describe("a call", () => {
  test("gives the tool's own result", async () => {
    expect(await registry.run("shout", { text: "a" }, context)).toEqual({
      isError: false,
      output: "A",
      details: {},
    });
  });

  test("with a bad input runs nothing and says which field", async () => {
    const output = "shout: field 'text' is required (INVALID_INPUT)";
    expect(await registry.run("shout", { txt: "a" }, context)).toEqual(refusal(output, "INVALID_INPUT"));
  });

  test("of a tool that does not exist names those that do", async () => {
    const output = "whisper: unknown tool; available: shout, broken, foreign, bug (UNKNOWN_TOOL)";
    expect(await registry.run("whisper", {}, context)).toEqual(refusal(output, "UNKNOWN_TOOL"));
    expect((await new ToolRegistry([]).run("whisper", {}, context)).output).toBe(
      "whisper: unknown tool; available: none (UNKNOWN_TOOL)",
    );
    const [shout] = registry.list();
    if (shout === undefined) throw new Error("there is no tool");
    const names = ["shout", "mcp_search", "mcp__s__a", "mcp__s__b"];
    const many = new ToolRegistry(names.map((name) => ({ ...shout, name })));
    expect((await many.run("whisper", {}, context)).output).toBe(
      "whisper: unknown tool; available: shout, 2 tools of MCP servers (UNKNOWN_TOOL)",
    );
  });

  test("that fails in a way one can act on is a result of one line", async () => {
    expect(await registry.run("broken", { text: "" }, context)).toEqual(
      refusal("broken: no such thing (ENOENT)", "ENOENT", { cwd: "/x" }),
    );
    expect(await registry.run("foreign", { text: "" }, context)).toEqual(
      refusal("kernel: gone (DEAD)", "DEAD"),
    );
  });

  test("that meets a bug lets it be seen", async () => {
    expect(await registry.run("bug", { text: "" }, context).catch((error: unknown) => error)).toEqual(
      new Error("oops"),
    );
  });
});

function refusal(output: string, code: string, facts: object = {}) {
  return { isError: true, output, details: { ...facts, success: false, error: output, code } };
}

test("a rehearsal checks the input and runs nothing", async () => {
  expect(await registry.rehearse("bug", { text: "a" }, context)).toEqual({
    isError: false,
    output: "[Dry Run] Would execute: bug bug a",
    details: { dryRun: true, command: "bug bug a" },
  });
  expect((await registry.rehearse("bug", {}, context)).output).toBe(
    "bug: field 'text' is required (INVALID_INPUT)",
  );
});

test("names are in the order given, and must differ", () => {
  expect(registry.names).toEqual(["shout", "broken", "foreign", "bug"]);
  expect(registry.list().map(({ name }) => name)).toEqual(["shout", "broken", "foreign", "bug"]);
  expect(registry.get("shout")?.name).toBe("shout");
  expect(registry.get("toString")).toBeUndefined();
  const twin = tool("twin", String);
  expect(() => new ToolRegistry([twin, twin])).toThrow("two tools have the same name");
});
