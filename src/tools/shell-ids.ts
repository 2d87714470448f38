/** How `bash_output` and `kill_shell` name a background shell: `bash_id` or `shell_id`, both mean the same. */

import type { BackgroundShell } from "../shell/background-shell.ts";
import type { Shells } from "../shell/shells.ts";
import { textField } from "./fields.ts";
import { ToolError } from "./tool-error.ts";

export const shellIdFields = {
  bash_id: textField("The id of the background shell.").optional(),
  shell_id: textField("The same as bash_id.").optional(),
};

type ShellIds = { readonly [Field in keyof typeof shellIdFields]?: string | undefined };

/** @returns undefined when neither is given. */
export function readShellId(operation: string, { bash_id, shell_id }: ShellIds): string | undefined {
  if (bash_id !== undefined && shell_id !== undefined && bash_id !== shell_id) {
    const issue = `bash_id '${bash_id}' and shell_id '${shell_id}' name different shells`;
    throw new ToolError({ operation, issue, code: "INVALID_INPUT" });
  }
  return bash_id ?? shell_id;
}

export function findShell(operation: string, id: string, shells: Shells): BackgroundShell {
  const shell = shells.background.get(id);
  if (shell !== undefined) return shell;
  const ids = shells.background.list().map((known) => known.id);
  const known = ids.length === 0 ? "there are no background shells" : `there are ${ids.join(", ")}`;
  throw new ToolError({ operation, issue: `Shell not found: ${id}; ${known}`, code: "NOT_FOUND" });
}

/** "completed, exit code 0". */
export function describeStatus(shell: BackgroundShell): string {
  if (shell.status === "running" || shell.status === "killed") return shell.status;
  return shell.signal === null
    ? `${shell.status}, exit code ${shell.exitCode}`
    : `${shell.status}, ended by ${shell.signal}`;
}
