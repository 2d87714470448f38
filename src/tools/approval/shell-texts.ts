/** The shell commands in a tool's input: what the safety rules look at before the tool runs. */

import { asRecord } from "../../protocol/record.ts";

export interface ShellText {
  readonly command: string;
  /** The call is this command and nothing else, so a safe command makes a safe call. */
  readonly isAll: boolean;
}

export function shellTexts(tool: string, input: unknown): readonly ShellText[] {
  const { command, language, code, cells } = asRecord(input);
  if (tool === "bash") return wholeCommand(command);
  if (tool === "exec" && language === "bash") return wholeCommand(code);
  if (tool !== "python") return [];
  return Array.isArray(cells) ? cells.flatMap((cell) => cellCommands(asRecord(cell)["code"])) : [];
}

/** Where the call wants to run. */
export function wantedDirectory(input: unknown): string | undefined {
  const { cwd } = asRecord(input);
  return typeof cwd === "string" ? cwd : undefined;
}

function wholeCommand(text: unknown): ShellText[] {
  return typeof text === "string" ? [{ command: text, isAll: true }] : [];
}

/** IPython's ways to the shell: `!command`, `x = !command`, `%sx command`, and cells that are scripts. */
function cellCommands(code: unknown): ShellText[] {
  if (typeof code !== "string") return [];
  const script = /^\s*%%(?:bash|sh|script\s+(?:\S*\/)?(?:ba|da|z)?sh)\b[^\n]*\n([\s\S]*)$/.exec(code);
  if (script !== null) return [{ command: script[1] ?? "", isAll: false }];
  const lines = code.matchAll(/^[ \t]{0,200}(?:[\w., \t]{1,200}=[ \t]*)?(?:!!?|%(?:sx|system)\s)([^\n]+)$/gm);
  return [...lines].map(([, command = ""]) => ({ command, isAll: false }));
}
