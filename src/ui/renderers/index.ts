/** Which tool is drawn by which renderer. */

import { renderBash } from "./bash.ts";
import { renderChange, renderLook } from "./files.ts";
import { renderGeneric } from "./generic.ts";
import { renderPython } from "./python.ts";
import type { ToolRenderer } from "./renderer.ts";
import { renderShell } from "./shells.ts";

const renderers: Readonly<Record<string, ToolRenderer>> = {
  python: renderPython,
  bash: renderBash,
  bash_output: renderShell,
  kill_shell: renderShell,
  write: renderChange,
  edit: renderChange,
  read: renderLook,
  grep: renderLook,
  find: renderLook,
  ls: renderLook,
};

export function rendererOf(tool: string): ToolRenderer {
  return renderers[tool] ?? renderGeneric;
}
