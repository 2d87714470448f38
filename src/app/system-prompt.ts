/** Builds the system prompt: the model's role, its tools, where it works, and the project's instructions. */

import system from "../../prompts/system.md" with { type: "text" };
import bash from "../../prompts/tool-use/bash.md" with { type: "text" };
import files from "../../prompts/tool-use/files.md" with { type: "text" };
import python from "../../prompts/tool-use/python.md" with { type: "text" };
import pythonAlone from "../../prompts/tool-use/python-alone.md" with { type: "text" };
import type { ContextFile } from "./context-files.ts";

interface PythonDescription {
  readonly path: string;
  readonly version: string;
  readonly packages: readonly string[];
  /** Why this one: `from /project/.venv`. */
  readonly reason?: string | undefined;
}

export interface SystemPromptParts {
  /** Replaces the sections about role and tools. */
  readonly replacement: string | undefined;
  readonly appendix: string | undefined;
  readonly toolNames: readonly string[];
  readonly cwd: string;
  readonly platform: string;
  readonly date: string;
  readonly git: boolean;
  /** The interpreter of the kernel, when there is one. */
  readonly python: PythonDescription | undefined;
  /** The interpreter of scripts, when they are not run by the kernel's. */
  readonly scriptPython?: PythonDescription | undefined;
  /** Where the kernel runs, in words, if not on this machine. */
  readonly kernelElsewhere: string | undefined;
  /** Where the kernel runs, in words, if it is an existing kernel. */
  readonly kernelBorrowed?: string | undefined;
  /** What programs may do, in words; undefined without a sandbox. */
  readonly sandbox?: string | undefined;
  readonly contextFiles: readonly ContextFile[];
}

export function systemPrompt(parts: SystemPromptParts): string {
  const sections = [
    parts.replacement ?? system,
    parts.replacement === undefined ? describeTools(parts.toolNames) : "",
    describeLocation(parts),
    ...parts.contextFiles.map(({ path, text }) => `# From ${path}\n\n${text}`),
    parts.appendix ?? "",
  ];
  return sections
    .map((section) => section.trim())
    .filter((section) => section !== "")
    .join("\n\n");
}

const fileTools = ["read", "write", "edit", "grep", "find", "ls"];

/** Mentions only tools that the model has. */
function describeTools(toolNames: readonly string[]): string {
  const has = (name: string) => toolNames.includes(name);
  const lines = [
    ...(has("python") ? [has("bash") ? python : pythonAlone] : []),
    ...(has("bash") ? [bash] : []),
    ...(fileTools.some(has) ? [files] : []),
  ];
  return lines.length === 0 ? "" : `# Your tools\n\n${lines.join("")}`;
}

function describeLocation(parts: SystemPromptParts): string {
  const { cwd, platform, date, git, python: kernel, kernelElsewhere, kernelBorrowed } = parts;
  const lines = [
    `- Working directory: ${cwd}${git ? " (a git repository)" : ""}`,
    `- System: ${platform}`,
    `- Date: ${date}`,
  ];
  if (kernelBorrowed !== undefined) {
    const version = kernel ? ` (Python ${kernel.version})` : "";
    lines.push(`- Python: the kernel${version} belongs to someone else and runs ${kernelBorrowed}`);
  } else if (kernel) lines.push(`- Python: ${describePython(kernel)}`);
  if (kernelElsewhere !== undefined)
    lines.push(`- Python: the kernel runs ${kernelElsewhere} and does not see these files`);
  if (parts.scriptPython) {
    const hasKernel = kernelBorrowed !== undefined || kernelElsewhere !== undefined;
    lines.push(`- Python${hasKernel ? " of scripts" : ""}: ${describePython(parts.scriptPython)}`);
  }
  if (parts.sandbox !== undefined) lines.push(`- Sandbox: ${parts.sandbox}`);
  return `# Where you are\n\n${lines.join("\n")}`;
}

function describePython({ version, path, packages, reason }: PythonDescription): string {
  const why = reason === undefined ? "" : ` (${reason})`;
  return `${version} at ${path}${why}${packages.length > 0 ? `, with ${packages.join(", ")}` : ""}`;
}

const optionalTools = ["python", "bash", "bash_output", "kill_shell"];

/**
 * Removes from a tool's prompt the lines that name tools the model does not have. Prompts are written once, for all tools: a line is
 * dropped whether it names the tool or the helper of the same name in a cell, `bash(…)`.
 */
export function promptFor(prompt: string, toolNames: readonly string[]): string {
  const missing = optionalTools
    .filter((name) => !toolNames.includes(name))
    .map((name) => new RegExp(`\`${name}[\`(]`));
  return prompt
    .split("\n")
    .filter((line) => !missing.some((name) => name.test(line)))
    .join("\n");
}
