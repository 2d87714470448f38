/** How `bash_output` and `kill_shell` name a background shell: `bash_id` or `shell_id`, both mean the same, and each shows one. */

import type { BackgroundShell } from "../shell/background-shell.ts";
import type { EndedShell } from "../shell/background-shells.ts";
import type { Shells } from "../shell/shells.ts";
import { textField } from "./fields.ts";
import { ToolError } from "./tool-error.ts";

export const shellIdField = textField("The id of the background shell.");

export const shellIdFields = { bash_id: shellIdField.optional(), shell_id: shellIdField.optional() };

interface ShellIds {
  readonly bash_id?: string | undefined;
  readonly shell_id?: string | undefined;
}

/** @returns undefined when neither is given. */
export function readShellId({ bash_id, shell_id }: ShellIds): string | undefined {
  return bash_id ?? shell_id;
}

/** For `refine`. */
export function isOneShell({ bash_id, shell_id }: ShellIds): boolean {
  return bash_id === undefined || shell_id === undefined || bash_id === shell_id;
}

export const twoShells = { error: "'bash_id' and 'shell_id' name different shells" };

export function findShell(operation: string, id: string, shells: Shells): BackgroundShell {
  const shell = shells.background.get(id);
  if (shell !== undefined) return shell;
  const forgotten = shells.background.getForgotten(id);
  if (forgotten !== undefined) {
    const issue = `Shell not found: ${id}; it has ended (${describeStatus(forgotten)}) and was cleaned up${describeCopy(forgotten)}`;
    throw new ToolError({ operation, issue, code: "NOT_FOUND" });
  }
  const ids = shells.background.list().map((known) => known.id);
  const known = ids.length === 0 ? "there are no background shells" : `running: ${ids.join(", ")}`;
  throw new ToolError({ operation, issue: `Shell not found: ${id}; ${known}`, code: "NOT_FOUND" });
}

function describeCopy({ copy }: EndedShell): string {
  return copy === undefined || copy.problem?.kind === "given-up" ? "" : `; its output: artifact://${copy.id}`;
}

/** "completed, exit code 0". */
export function describeStatus(shell: Omit<EndedShell, "copy">): string {
  if (shell.timedOut && shell.status === "killed") return "killed at its time limit";
  if (shell.status === "running" || shell.status === "killed") return shell.status;
  return shell.signal === null
    ? `${shell.status}, exit code ${shell.exitCode}`
    : `${shell.status}, ended by ${shell.signal}`;
}
