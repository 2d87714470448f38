/** A tool whose programs run in a sandbox: says so in the result when that is why one failed. */

import type { Tool, ToolResult } from "../protocol/index.ts";

/** Where the end of an output says what went wrong. */
const SEARCHED_CHARS = 8_000;

interface ToolSandbox {
  /** A sentence without its end about what an output shows that it refused; undefined for nothing. */
  explain(output: string): string | undefined;
  /** After every call. */
  sweep(): void;
}

/** What the model can do about it. */
const remedies = {
  ask: "bash with no_sandbox asks the user to run a command outside it",
  none: "only the user can change that",
};

interface SandboxNotes {
  /** The one at the time of the call; undefined without. */
  readonly sandbox: () => ToolSandbox | undefined;
  /** Whether the user can be asked to leave it. */
  readonly canLeave: () => boolean;
}

export function withSandbox<Input>(
  tool: Tool<Input>,
  { sandbox: current, canLeave }: SandboxNotes,
): Tool<Input> {
  return {
    ...tool,
    // Made when it is asked for, as by the tool itself.
    get inputSchema() {
      return tool.inputSchema;
    },
    run: async (input, context) => {
      const sandbox = current();
      const result = await tool.run(input, context).finally(() => sandbox?.sweep());
      if (!result.isError || result.details.outsideSandbox === true) return result;
      const why = sandbox?.explain(result.output.slice(-SEARCHED_CHARS));
      return why === undefined ? result : withNote(result, why, remedies[canLeave() ? "ask" : "none"]);
    },
  };
}

function withNote(result: ToolResult, note: string, remedy: string): ToolResult {
  const { output, details } = result;
  const segments = details.segments ?? [{ lines: output.split("\n").length }];
  return {
    ...result,
    output: `${output}\n[${note}; ${remedy}]`,
    details: { ...details, sandbox: note, segments: [...segments, { lines: 1, note }] },
  };
}
