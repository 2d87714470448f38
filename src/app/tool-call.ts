/** One call of `omp tool`, single or out of a batch, and how its result is written. */

import { OmpError, type OnUpdate, type ToolResult } from "../protocol/index.ts";
import type { Services } from "./services.ts";

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Output as it streams. */
  readonly onUpdate: OnUpdate;
  /** Typed by the user. */
  readonly isUsersOwn?: boolean;
  readonly onBug: (report: string) => void;
}

/** A bug in a tool fails only its own call: the rest of a batch still runs, and the stack is shown. */
export async function callTool(services: Services, call: ToolCall): Promise<ToolResult> {
  const { name, input, signal, onUpdate, isUsersOwn } = call;
  const context = { ...services.context, signal, onUpdate, isUsersOwn };
  try {
    return call.dryRun
      ? await services.tools.rehearse(name, input, context)
      : await services.tools.run(name, input, context);
  } catch (error) {
    const bug = error instanceof Error ? error : new Error(String(error));
    call.onBug(`${bug.stack ?? bug.message}\n`);
    const { message } = new OmpError({
      operation: name,
      issue: `unexpected: ${bug.message}`,
      code: "INTERNAL",
    });
    return { isError: true, output: message, details: { code: "INTERNAL" } };
  }
}

/** Scripts rely on these names. */
export function resultFields(result: ToolResult) {
  return { is_error: result.isError, output: result.output, details: result.details };
}
