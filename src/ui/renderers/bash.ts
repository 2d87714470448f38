/** `bash`, `bash_output` and `kill_shell`: what it is for or which shell, how it ended, the end of its output. */

import { colorCode } from "../markdown/code-colors.ts";
import type { CallItem } from "../store/state.ts";
import { plainText } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import type { View } from "../view.ts";
import { callOutput } from "./output.ts";
import { endingFacts, heading, timeFact } from "./parts.ts";
import { statusOf, textIn } from "./renderer.ts";

const COMMAND_LINES = 8;

export function renderBash(call: CallItem, view: View): string[] {
  const { theme } = view;
  const { result, input } = call;
  const shellId = textIn(result?.details, "shellId");
  const facts = [
    shellId === undefined ? undefined : `${shellId} in the background`,
    ...shellFacts(call, view),
  ];
  const title = textIn(input, "description");
  const head = heading({ status: statusOf(call), name: "bash", title, facts }, view);
  const text = plainText(textIn(input, "command") ?? JSON.stringify(input ?? null));
  const commandLines = preview(colorCode(text, "bash", theme).split("\n"), view, {
    keep: "head",
    lines: COMMAND_LINES,
    gutter: `  ${theme.dim("$")} `,
    gutterWidth: 4,
  });
  return [head, ...commandLines, ...callOutput(call, view)];
}

export function renderBackgroundShell(call: CallItem, view: View): string[] {
  const { result, input, name } = call;
  const title = textIn(result?.details, "shellId") ?? textIn(input, "bash_id") ?? textIn(input, "shell_id");
  const head = heading({ status: statusOf(call), name, title, facts: shellFacts(call, view) }, view);
  return result === undefined ? [head] : [head, ...callOutput(call, view)];
}

function shellFacts(call: CallItem, { now }: View): (string | undefined)[] {
  const { details } = call.result ?? {};
  return [textIn(details, "status"), ...endingFacts(details), timeFact(call, now)];
}
