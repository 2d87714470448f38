/** `bash`: what it is for, the command, how it ended, the end of its output. */

import { colorCode } from "../markdown/code-colors.ts";
import type { CallItem } from "../store/state.ts";
import { plainText } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import type { View } from "../view.ts";
import { artifactFact, heading, outputLines, timeFact } from "./parts.ts";
import { statusOf, textIn } from "./renderer.ts";
import { shellFacts } from "./shells.ts";

const COMMAND_LINES = 8;

export function renderBash(call: CallItem, view: View): string[] {
  const { theme } = view;
  const { result, input } = call;
  const shellId = textIn(result?.details, "shellId");
  const head = heading(
    {
      status: statusOf(call),
      name: "bash",
      title: textIn(input, "description"),
      facts: [
        ...(shellId === undefined ? [] : [`${shellId} in the background`]),
        ...shellFacts(result?.details),
        result?.details.timedOut === true ? "timed out" : undefined,
        result?.details.cancelled === true && result.details.timedOut !== true ? "interrupted" : undefined,
        timeFact(call, view.now),
        artifactFact(call),
      ],
    },
    view,
  );
  const text = plainText(textIn(input, "command") ?? JSON.stringify(input ?? null));
  const command = colorCode(text, "bash", theme).split("\n");
  const commandLines = preview(command, view, {
    keep: "head",
    lines: COMMAND_LINES,
    gutter: `  ${theme.dim("$")} `,
    gutterWidth: 4,
  });
  // What was started in the background has said nothing yet; the heading says the rest.
  const output = shellId !== undefined && result?.isError === false ? "" : (result?.output ?? call.live.tail);
  return [head, ...commandLines, ...outputLines(output, call, view, { isError: result?.isError === true })];
}
