/** Background shells: which one, how it stands, what it has written since. */

import type { CallItem } from "../store/state.ts";
import type { View } from "../view.ts";
import { artifactFact, heading, outputLines, timeFact } from "./parts.ts";
import { numberIn, statusOf, textIn } from "./renderer.ts";

/** `bash_output` and `kill_shell`. */
export function renderShell(call: CallItem, view: View): string[] {
  const { result, input, name } = call;
  const id = textIn(result?.details, "shellId") ?? textIn(input, "bash_id") ?? textIn(input, "shell_id");
  const head = heading(
    {
      status: statusOf(call),
      name,
      title: id,
      facts: [...shellFacts(result?.details), timeFact(call, view.now), artifactFact(call)],
    },
    view,
  );
  if (result === undefined) return [head];
  // Its first line says what the heading does.
  const output =
    id !== undefined && result.output.startsWith(`${id}: `) ? afterFirst(result.output) : result.output;
  return [head, ...outputLines(output, call, view, { isError: result.isError })];
}

/** `running`, `failed`, `exit code 4`, `SIGTERM`. */
export function shellFacts(details: unknown): (string | undefined)[] {
  const exitCode = numberIn(details, "exitCode");
  return [
    textIn(details, "status"),
    exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`,
    textIn(details, "signal"),
  ];
}

function afterFirst(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? "" : text.slice(end + 1);
}
