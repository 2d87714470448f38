/** Which tool's calls are drawn by which renderer; a tool that has none is drawn by its input and its output. */

import type { CallItem } from "../store/state.ts";
import type { View } from "../view.ts";
import { renderBackgroundShell, renderBash } from "./bash.ts";
import { renderChange, renderLook } from "./files.ts";
import { callOutput } from "./output.ts";
import { callHeading, endingFacts } from "./parts.ts";
import { renderPython } from "./python.ts";
import type { ToolRenderer } from "./renderer.ts";
import { renderTask } from "./task.ts";

const renderers: Readonly<Record<string, ToolRenderer>> = {
  python: renderPython,
  bash: renderBash,
  bash_output: renderBackgroundShell,
  kill_shell: renderBackgroundShell,
  write: renderChange,
  edit: renderChange,
  read: renderLook,
  grep: renderLook,
  find: renderLook,
  ls: renderLook,
  task: renderTask,
};

export function rendererOf(tool: string): ToolRenderer {
  return renderers[tool] ?? renderGeneric;
}

function renderGeneric(call: CallItem, view: View): string[] {
  const facts = endingFacts(call);
  return [callHeading(call, { title: inputLine(call.input), facts }, view), ...callOutput(call, view)];
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
