/** Gathers what the system prompt says about this session. */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { OmpError, systemCode } from "../protocol/index.ts";
import { contextFiles } from "./context-files.ts";
import type { Services } from "./services.ts";
import type { AgentSessionOptions } from "./session-options.ts";
import { systemPrompt } from "./system-prompt.ts";

export async function sessionPrompt(parts: {
  readonly options: Pick<AgentSessionOptions, "systemPrompt" | "appendSystemPrompt" | "answerInstruction">;
  readonly services: Services;
  readonly toolNames: readonly string[];
}): Promise<{ readonly system: string; readonly contextPaths: readonly string[] }> {
  const { options, services, toolNames } = parts;
  const { cwd, project, paths } = services.workspace;
  const hasPython = toolNames.includes("python");
  const { isBorrowed, isElsewhere, name } = services.python.host;
  const isOwnKernel = hasPython && !isBorrowed && !isElsewhere;
  const hasScripts = toolNames.includes("python_run") || toolNames.includes("exec");
  const files = contextFiles({
    cwd,
    projectRoot: project.root,
    userHome: paths.userHome,
    ompHome: paths.home,
  });
  const system = systemPrompt({
    replacement: textOrFile(options.systemPrompt, cwd),
    appendix: [textOrFile(options.appendSystemPrompt, cwd), options.answerInstruction]
      .filter((part) => part !== undefined)
      .join("\n\n"),
    toolNames,
    cwd,
    platform: `${process.platform} ${process.arch}`,
    date: new Date().toISOString().slice(0, 10),
    git: existsSync(join(project.root, ".git")),
    python: hasPython ? await services.python.facts() : undefined,
    scriptPython: hasScripts && !isOwnKernel ? await services.python.scriptFacts() : undefined,
    kernelBorrowed: hasPython && isBorrowed ? name : undefined,
    kernelElsewhere: hasPython && isElsewhere ? name : undefined,
    sandbox: services.sandbox?.description,
    contextFiles: files,
  });
  return { system, contextPaths: files.map(({ path }) => path) };
}

/** `@file` means the file's text. */
function textOrFile(value: string | undefined, cwd: string): string | undefined {
  if (!value?.startsWith("@")) return value;
  const path = resolve(cwd, value.slice(1));
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = systemCode(error) ?? "UNREADABLE";
    throw new OmpError({ operation: "omp", issue: `cannot read '${path}'`, code }, { cause: error });
  }
}
