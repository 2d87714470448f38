/** A tool whose programs run in a sandbox: says so in the result when that is why one failed. */

import type { Tool, ToolResult } from "../protocol/index.ts";

/** Where the end of an output says what went wrong. */
const SEARCHED_CHARS = 8_000;

interface ToolSandbox {
  /** A sentence about what an output shows that it refused; undefined for nothing. */
  explain(output: string): string | undefined;
  /** After every call. */
  sweep(): void;
}

export function withSandbox<Input>(tool: Tool<Input>, sandbox: ToolSandbox): Tool<Input> {
  return {
    ...tool,
    // Made when it is asked for, as by the tool itself.
    get inputSchema() {
      return tool.inputSchema;
    },
    run: async (input, context) => {
      const result = await tool.run(input, context).finally(() => sandbox.sweep());
      const why = result.isError ? sandbox.explain(result.output.slice(-SEARCHED_CHARS)) : undefined;
      return why === undefined ? result : withNote(result, why);
    },
  };
}

function withNote(result: ToolResult, note: string): ToolResult {
  const { output, details } = result;
  const segments = details.segments ?? [{ lines: output.split("\n").length }];
  return {
    ...result,
    output: `${output}\n[${note}]`,
    details: { ...details, sandbox: note, segments: [...segments, { lines: 1, note }] },
  };
}
