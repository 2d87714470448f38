/** What the model is told before the first word: who it is, what it works with, where, and what the project says. */

import bash from "../../prompts/hands/bash.md" with { type: "text" };
import files from "../../prompts/hands/files.md" with { type: "text" };
import python from "../../prompts/hands/python.md" with { type: "text" };
import pythonAlone from "../../prompts/hands/python-alone.md" with { type: "text" };
import system from "../../prompts/system.md" with { type: "text" };
import type { ContextFile } from "./context-files.ts";

export interface SystemPromptParts {
  /** Replaces the first section. */
  readonly replacement: string | undefined;
  readonly appendix: string | undefined;
  readonly toolNames: readonly string[];
  readonly cwd: string;
  readonly platform: string;
  readonly date: string;
  readonly git: boolean;
  /** The interpreter of the kernel, when there is one. */
  readonly python:
    | { readonly path: string; readonly version: string; readonly packages: readonly string[] }
    | undefined;
  /** Where the kernel runs, in words, when that is not this machine. */
  readonly kernelElsewhere: string | undefined;
  /** Where the kernel runs, in words, when it is somebody else's. */
  readonly kernelBorrowed?: string | undefined;
  readonly contextFiles: readonly ContextFile[];
}

export function systemPrompt(parts: SystemPromptParts): string {
  const sections = [
    parts.replacement ?? system,
    parts.replacement === undefined ? hands(parts.toolNames) : "",
    place(parts),
    ...parts.contextFiles.map(({ path, text }) => `# From ${path}\n\n${text}`),
    parts.appendix ?? "",
  ];
  return sections
    .map((section) => section.trim())
    .filter((section) => section !== "")
    .join("\n\n");
}

const fileTools = ["read", "write", "edit", "grep", "find", "ls"];

/** Nothing is said of a hand that is not there. */
function hands(toolNames: readonly string[]): string {
  const has = (name: string) => toolNames.includes(name);
  const lines = [
    ...(has("python") ? [has("bash") ? python : pythonAlone] : []),
    ...(has("bash") ? [bash] : []),
    ...(fileTools.some(has) ? [files] : []),
  ];
  return lines.length === 0 ? "" : `# Your hands\n\n${lines.join("")}`;
}

function place(parts: SystemPromptParts): string {
  const { cwd, platform, date, git, python: kernel, kernelElsewhere, kernelBorrowed } = parts;
  const lines = [
    `- Working directory: ${cwd}${git ? " (a git repository)" : ""}`,
    `- System: ${platform}`,
    `- Date: ${date}`,
  ];
  if (kernelBorrowed !== undefined) {
    const version = kernel ? ` (Python ${kernel.version})` : "";
    lines.push(`- Python: the kernel${version} is somebody else's, and works ${kernelBorrowed}`);
  } else if (kernel) {
    const packages = kernel.packages.length > 0 ? `, with ${kernel.packages.join(", ")}` : "";
    lines.push(`- Python: ${kernel.version} at ${kernel.path}${packages}`);
  }
  if (kernelElsewhere !== undefined)
    lines.push(`- Python: the kernel runs ${kernelElsewhere}, and does not see these files`);
  return `# Where you are\n\n${lines.join("\n")}`;
}
