/** `!command`, `!!command`, `$code`, `$$code`: the user's own calls of the two tools. */

import { type ToolResult, type UserMessage, userMessage } from "../protocol/index.ts";
import { type Inspection, inspectionIn } from "../ui/input/code-text.ts";

export interface DirectCall {
  readonly tool: "bash" | "python";
  readonly input: unknown;
  readonly code: string;
  /** False for the doubled symbol: the model does not see it. */
  readonly isReported: boolean;
}

/** Longer than the model's own limits: a person can interrupt. */
const PYTHON_SECONDS = 600;
const BASH_MS = 600_000;

export function directCall(text: string): DirectCall | undefined {
  const match = /^(!!?|\$\$?)([\s\S]*)$/.exec(text);
  const [, sign = "", rest = ""] = match ?? [];
  const code = rest.trim();
  if (code === "") return undefined;
  const isReported = sign.length === 1;
  if (sign.startsWith("!"))
    return { tool: "bash", input: { command: code, timeout: BASH_MS }, code, isReported };
  return { tool: "python", input: { cells: [{ code }], timeout: PYTHON_SECONDS }, code, isReported };
}

/** `$name?` and `$name??`: asks the kernel about a name, and runs nothing. */
export interface InspectionCall extends Inspection {
  readonly tool: "python";
  readonly code: string;
  readonly isReported: boolean;
}

export function inspectionCall(text: string): InspectionCall | undefined {
  const direct = directCall(text);
  const inspection = direct?.tool === "python" ? inspectionIn(direct.code) : undefined;
  if (!direct || !inspection) return undefined;
  return { ...inspection, tool: "python", code: direct.code, isReported: direct.isReported };
}

/** What the model reads of it before its next turn. */
export function report(
  { tool, code }: Pick<DirectCall, "tool" | "code">,
  { output }: Pick<ToolResult, "output">,
): UserMessage {
  const text = `<user_ran tool="${tool}">\n${code}\n</user_ran>\n<output>\n${output}\n</output>`;
  return userMessage(text, { kind: "ran", tool, code });
}
