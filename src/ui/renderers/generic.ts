/** A tool that nobody wrote a renderer for: its name, its input in a line, its output. */

import type { CallItem } from "../store/state.ts";
import type { View } from "../view.ts";
import { artifactFact, heading, outputLines, timeFact } from "./parts.ts";
import { statusOf } from "./renderer.ts";

export function renderGeneric(call: CallItem, view: View): string[] {
  const { result, input, name } = call;
  const head = heading(
    {
      status: statusOf(call),
      name,
      title: inputLine(input),
      facts: [timeFact(call, view.now), artifactFact(call)],
    },
    view,
  );
  const output = result?.output ?? call.live.tail;
  return [head, ...outputLines(output, call, view, { isError: result?.isError === true })];
}

function inputLine(input: unknown): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input) ?? "";
  return Object.entries(input)
    .map(
      ([key, value]) =>
        `${key}: ${typeof value === "string" ? value.replace(/\s+/g, " ") : JSON.stringify(value)}`,
    )
    .join(", ");
}
