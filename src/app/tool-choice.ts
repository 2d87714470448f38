/** Which of the tools a model is given. */

import { nearestName } from "../format/nearest.ts";
import { OmpError, type Tool } from "../protocol/index.ts";
import type { Services } from "./services.ts";

const defaultTools: readonly string[] = [
  "python",
  "bash",
  "bash_output",
  "kill_shell",
  "read",
  "write",
  "edit",
  "grep",
  "find",
  "ls",
  "task",
];

/** @param named exactly these; the default ones and those of the settings when not given. */
export async function chooseTools(
  named: readonly string[] | undefined,
  services: Services,
  warn: (line: string) => void,
): Promise<readonly Tool[]> {
  const wanted = [...new Set(named ?? [...defaultTools, ...services.workspace.settings.tools.enable])];
  const known = new Set([...services.toolsIn("both"), services.taskTool].map(({ name }) => name));
  for (const name of wanted)
    if (!known.has(name) && !services.mcp?.servers.some((server) => isToolOf(name, server.name)))
      throw unknownToolError("omp", name, [...known]);
  const works = wanted.includes("python") ? await toolsThatWork(services, warn) : services.tools.list();
  const available = [...works, services.taskTool];
  const chosen = wanted.flatMap((name) => available.find((tool) => tool.name === name) ?? []);
  for (const name of named ?? []) {
    // That Python does not work has been reported already.
    const off = name === "python" ? undefined : switchedOffReason(name, services);
    if (off !== undefined) warn(`omp: ${off}`);
  }
  return chosen;
}

/** `mcp__server` means all of a server's tools. Which ones there are is known only when it has answered. */
export function isToolOf(tool: string, server: string): boolean {
  const prefix = `mcp__${server.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  return tool === prefix || tool.startsWith(`${prefix}__`);
}

/** Whether a tool of an MCP server is one of these; any is when none are named. */
export function isNamed(tool: string, named: readonly string[] | undefined): boolean {
  return named === undefined || named.some((name) => tool === name || tool.startsWith(`${name}__`));
}

/** Why a tool that exists is not in this session. */
export function switchedOffReason(name: string, { tools, toolsIn }: Services): string | undefined {
  const exists = toolsIn("both").some((tool) => tool.name === name);
  return exists && tools.get(name) === undefined
    ? `the tool '${name}' is switched off here (python.toolMode, PI_PY)`
    : undefined;
}

async function toolsThatWork(services: Services, warn: (line: string) => void): Promise<readonly Tool[]> {
  const { mode, degraded, why } = await services.python.toolMode();
  if (degraded) warn(`omp: continuing without the python tool: ${why}`);
  return services.toolsIn(mode);
}

export function unknownToolError(operation: string, name: string, names: readonly string[]): OmpError {
  const nearest = nearestName(name, names);
  const advice = nearest ? `did you mean '${nearest}'?` : `use one of ${names.join(", ")}`;
  return new OmpError({ operation, issue: `unknown tool '${name}'; ${advice}`, code: "UNKNOWN_TOOL" });
}
