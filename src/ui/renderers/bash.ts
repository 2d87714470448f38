/** `bash`, `bash_output` and `kill_shell`: what it is for or which shell, how it ended, the end of its output. */

import { colorCode } from "../markdown/code-colors.ts";
import type { CallItem } from "../store/state.ts";
import { preview } from "../text/preview.ts";
import { sourceText } from "../text/source-text.ts";
import type { View } from "../view.ts";
import { callOutput } from "./output.ts";
import { callHeading, endingFacts } from "./parts.ts";
import { textIn } from "./renderer.ts";

const COMMAND_LINES = 8;

export function renderBash(call: CallItem, view: View): string[] {
  const { theme } = view;
  const { result, input } = call;
  const shellId = textIn(result?.details, "shellId");
  const background = shellId === undefined ? undefined : `${shellId} in the background`;
  const outside = result?.details.outsideSandbox === true ? "outside the sandbox" : undefined;
  const facts = [background, outside, ...shellFacts(call)];
  const head = callHeading(call, { title: textIn(input, "description"), facts }, view);
  // The question below shows the command.
  if (call.isAsked) return [head];
  const text = sourceText(textIn(input, "command") ?? JSON.stringify(input ?? null));
  const commandLines = preview(colorCode(text, "bash", theme).split("\n"), view, {
    keep: "head",
    lines: COMMAND_LINES,
    gutter: `  ${theme.dim("$")} `,
  });
  return [head, ...commandLines, ...callOutput(call, view)];
}

export function renderBackgroundShell(call: CallItem, view: View): string[] {
  const { result, input } = call;
  const title = textIn(result?.details, "shellId") ?? textIn(input, "bash_id") ?? textIn(input, "shell_id");
  const head = callHeading(call, { title, facts: shellFacts(call) }, view);
  return result === undefined ? [head] : [head, ...callOutput(call, view)];
}

function shellFacts(call: CallItem): (string | undefined)[] {
  return [textIn(call.result?.details, "status"), ...endingFacts(call)];
}
