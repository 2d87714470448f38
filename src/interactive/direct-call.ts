/** `!command`, `!!command`, `$code`, `$$code`: the user's own calls of the two tools. */

import { messageText, type ToolResult, type UserMessage, userMessage } from "../protocol/index.ts";
import { dedented, type Inspection, inspectionIn } from "../ui/input/code-text.ts";
import type { UiEvent } from "../ui/store/event.ts";

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
  { tool, code, branch }: Pick<DirectCall, "tool" | "code"> & { readonly branch?: string | undefined },
  { output, isError }: Pick<ToolResult, "output" | "isError">,
  artifacts: readonly string[] = [],
): UserMessage {
  const [before, after] = around(tool, code);
  return userMessage(`${before}${output}${after}`, {
    kind: "ran",
    tool,
    code,
    ...(branch === undefined ? {} : { branch }),
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(isError ? { isError } : {}),
  });
}

function around(tool: string, code: string): readonly [before: string, after: string] {
  return [`<user_ran tool="${tool}">\n${code}\n</user_ran>\n<output>\n`, "\n</output>"];
}

/** The call of such a report, for the transcript of a resumed session; undefined for other messages. */
export function reportedCall(message: UserMessage, id: string): UiEvent[] | undefined {
  const { origin } = message;
  if (origin.kind !== "ran") return undefined;
  const { tool, code, artifacts = [], isError = false } = origin;
  const [before, after] = around(tool, code);
  const text = messageText(message);
  const output = text.startsWith(before) ? text.slice(before.length, text.length - after.length) : text;
  const input = tool === "bash" ? { command: code } : { cells: [{ code }] };
  const [artifact] = artifacts;
  const details = artifact === undefined ? {} : { artifact };
  return [
    { type: "tool_call", id, name: tool, input, by: "user" },
    { type: "tool_result", id, name: tool, result: { isError, output, details } },
  ];
}
