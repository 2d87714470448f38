/**
 * Definitions of subagents: Markdown files with front matter (`name`, `description`, `tools`, `model`) whose text is the agent's role.
 * Those of a project count only when it is trusted, and before the user's own of the same name.
 */

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { attempt } from "../protocol/error.ts";
import { type FrontMatter, splitFrontMatter } from "./front-matter.ts";
import type { OmpPaths } from "./paths.ts";
import { readProjectFile } from "./project-file.ts";

export interface AgentDefinition {
  readonly name: string;
  /** One line: what it is for. */
  readonly description: string;
  /** Its role, for the model. */
  readonly prompt: string;
  /** Undefined: those of its parent. */
  readonly tools: readonly string[] | undefined;
  /** Undefined: that of its parent. */
  readonly model: string | undefined;
  readonly file: string;
  /** Not the user's own. */
  readonly isProjects: boolean;
}

/** Where a project has its own, and Claude Code's. The first of a name counts. */
const AGENT_FOLDERS = [".omp/agents", ".claude/agents"];
/** Which of a project's files are definitions. */
export const AGENT_FILE = /^\.(?:omp|claude)\/agents\/[^/]+\.md$/;

const MAX_BYTES = 64_000;
const MAX_AGENTS = 50;
const NAME = /^[\w][\w.-]{0,63}$/;

export interface AgentPlaces {
  readonly paths: Pick<OmpPaths, "home" | "userHome">;
  readonly project: { readonly root: string; readonly isTrusted: boolean };
}

/** Damaged or foreign files are left out. */
export function readAgents({ paths, project }: AgentPlaces): readonly AgentDefinition[] {
  const ofUser = [join(paths.home, "agent", "agents"), join(paths.userHome, ".claude", "agents")];
  // Started in the home, the user's own are not a project's.
  const ofProject = AGENT_FOLDERS.map((folder) => join(project.root, folder)).filter(
    (folder) => !ofUser.includes(folder),
  );
  const found = [
    ...(project.isTrusted ? ofProject.flatMap((folder) => agentsIn(folder, project.root)) : []),
    ...ofUser.flatMap((folder) => agentsIn(folder, undefined)),
  ];
  const first = new Map<string, AgentDefinition>();
  for (const agent of found) if (!first.has(agent.name)) first.set(agent.name, agent);
  return [...first.values()].slice(0, MAX_AGENTS);
}

/** @param root see readProjectFile. */
function agentsIn(folder: string, root: string | undefined): AgentDefinition[] {
  const names = (attempt(() => readdirSync(folder)) ?? []).filter((name) => name.endsWith(".md")).sort();
  return names.flatMap((name) => {
    const file = join(folder, name);
    const read = readProjectFile(file, { root, maxBytes: MAX_BYTES });
    if (read === undefined || "problem" in read || read.isCut) return [];
    const { fields, text, isUnended } = splitFrontMatter(new TextDecoder().decode(read.bytes));
    const called = fields.text("name") ?? basename(name, ".md");
    // Without an end, the tools that it names would limit nothing.
    if (isUnended || !NAME.test(called) || text === "") return [];
    return [{ name: called, file, prompt: text, isProjects: root !== undefined, ...factsIn(fields) }];
  });
}

function factsIn(fields: FrontMatter): Pick<AgentDefinition, "description" | "tools" | "model"> {
  const model = fields.text("model");
  return {
    description: (fields.text("description") ?? "").replace(/\s+/g, " "),
    tools: fields.list("tools")?.map(ownName),
    // `sonnet` and `inherit`, as Claude Code has them, name no model that omp could open.
    model: model !== undefined && /[/:]/.test(model) ? model : undefined,
  };
}

/** Claude Code's names for what omp has, too. */
function ownName(tool: string): string {
  const name = tool.replace(/\(.*$/, "").trim();
  if (name.startsWith("mcp__")) return name;
  return CLAUDE_NAMES[name] ?? name.toLowerCase();
}

const CLAUDE_NAMES: Readonly<Record<string, string>> = {
  Glob: "find",
  MultiEdit: "edit",
  BashOutput: "bash_output",
  KillShell: "kill_shell",
  KillBash: "kill_shell",
};
