/** `bash`: what it is for, the command, how it ended, the end of its output. */

import type { ToolDetails } from "../../protocol/index.ts";
import { colorCode } from "../markdown/code-colors.ts";
import type { CallItem } from "../store/state.ts";
import { plainText } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import type { View } from "../view.ts";
import { artifactFact, heading, outputLines, timeFact } from "./parts.ts";
import { statusOf, textIn } from "./renderer.ts";
import { shellFacts } from "./shells.ts";

const COMMAND_LINES = 8;

/** The signal that stopped it was ours: that it was stopped says it all. */
function endingFacts(details: ToolDetails | undefined): (string | undefined)[] {
  if (details?.timedOut === true) return ["timed out"];
  return details?.cancelled === true ? ["interrupted"] : shellFacts(details);
}

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
        ...endingFacts(result?.details),
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
