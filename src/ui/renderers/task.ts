/** `task`: whom and what for, what the subagent is doing now, and its answer. Expanded, everything that it has done. */

import type { CallItem } from "../store/state.ts";
import { clip, plainText, trimmedLines } from "../text/lines.ts";
import type { View } from "../view.ts";
import { callOutput } from "./output.ts";
import { callHeading, endingFacts } from "./parts.ts";
import { textIn } from "./renderer.ts";

/** For the tool's name, and for how long it takes: that matters more than the end of a long prompt. */
const FACTS_WIDTH = 24;

export function renderTask(call: CallItem, view: View): string[] {
  const { result, input } = call;
  const agent = textIn(input, "agent");
  const prompt = textIn(input, "prompt") ?? "";
  const { theme, width } = view;
  const [first = ""] = plainText(agent === undefined ? prompt : `${agent}: ${prompt}`)
    .trim()
    .split("\n");
  const title = clip(first, Math.max(0, width - FACTS_WIDTH), theme.symbols.more);
  const head = callHeading(call, { title, facts: endingFacts(call) }, view);
  if (result !== undefined || view.isExpanded) return [head, ...callOutput(call, view)];
  const doing = trimmedLines(plainText(call.live.tail)).at(-1);
  return doing === undefined ? [head] : [head, `  ${theme.dim(clip(doing, width - 2, theme.symbols.more))}`];
}
