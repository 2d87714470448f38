/** `!command`, `!!command`, `$code`, `$$code`: the user's own calls of the two tools. */

import { type UserMessage, userMessage } from "../protocol/index.ts";
import { dedented, type Inspection, inspectionIn } from "../ui/input/code-text.ts";

export interface DirectCall {
  readonly tool: "bash" | "python";
  readonly input: unknown;
  readonly code: string;
  /** False for the doubled symbol: the model does not see it. */
  readonly isReported: boolean;
  /** Of a call that is not reported: what the model is told of it all the same, once it has worked. */
  readonly notice?: string | undefined;
  /** `$name?` and `$name??`: asks the kernel about a name, and runs nothing. */
  readonly inspection?: Inspection | undefined;
}

/** Longer than the model's own limits: a person can interrupt. */
const PYTHON_SECONDS = 600;
const BASH_MS = 600_000;

export function directCall(text: string): DirectCall | undefined {
  const [, sign = "", rest = ""] = /^(!!?|\$\$?)([\s\S]*)$/.exec(text) ?? [];
  const code = sign.startsWith("$") ? dedented(rest) : rest.trim();
  if (code === "") return undefined;
  const isReported = sign.length === 1;
  if (sign.startsWith("!"))
    return { tool: "bash", input: { command: code, timeout: BASH_MS }, code, isReported };
  const input = { cells: [{ code }], timeout: PYTHON_SECONDS };
  return { tool: "python", input, code, isReported, inspection: inspectionIn(code) };
}

/** What the model reads of it before its next turn. */
export function report(
  { tool, code }: DirectCall,
  output: string,
  artifacts: readonly string[] = [],
): UserMessage {
  const text = `<user_ran tool="${tool}">\n${code}\n</user_ran>\n<output>\n${output}\n</output>`;
  return userMessage(text, { kind: "ran", tool, code, ...(artifacts.length === 0 ? {} : { artifacts }) });
}
