/** How a subagent's session differs from its parent's: its tools, model and instructions, and that it shares what the parent may do. */

import instruction from "../../prompts/subagent.md" with { type: "text" };
import branchInstruction from "../../prompts/subagent-branch.md" with { type: "text" };
import type { AgentDefinition } from "../config/agents.ts";
import { nearestName } from "../format/nearest.ts";
import { type AgentTask, type Model, OmpError } from "../protocol/index.ts";
import type { AgentChoice } from "./agent-task.ts";
import type { Services } from "./services.ts";
import type { AgentSessionOptions } from "./session-options.ts";
import { isNamed, isToolOf, unknownToolError } from "./tool-choice.ts";

export interface AgentParent {
  readonly options: AgentSessionOptions;
  readonly services: Services;
  readonly toolNames: readonly string[];
  readonly model: Model;
  /** Undefined when no log is kept. */
  readonly sessionId: string | undefined;
  /** Gets a line about what is not used. */
  readonly warn: (line: string) => void;
}

/** Throws OmpError for a task that could not be opened: its agent is not there, a tool, or its kernel. */
export function checkTask(
  { agent, tools = [], kernel, branch }: Pick<AgentTask, "agent" | "tools" | "kernel" | "branch">,
  parent: AgentParent,
): void {
  if (agent !== undefined) findAgent(agent, parent.services.agents);
  for (const name of tools) checkTool(name, parent);
  if (kernel === "branch" && branch === undefined)
    throw kernelError(
      'kernel="branch" is for cells, whose kernel is copied: omp.agent(task, kernel="branch")',
    );
  const { kernelMode } = parent.services.workspace.settings.python;
  if (kernel === "shared" && kernelMode === "per-call")
    throw kernelError("there is no kernel to share: the setting python.kernelMode gives each call its own");
}

/** Those of an MCP server count before it has answered. What omp does not have of an agent's definition is left out without a word. */
function checkTool(name: string, { toolNames, services }: AgentParent): void {
  if (toolNames.some((tool) => isNamed(tool, [name]))) return;
  if (services.mcp?.servers.some((server) => isToolOf(name, server.name))) return;
  const own = toolNames.filter((tool) => tool !== services.mcp?.search.name && !tool.startsWith("mcp__"));
  throw unknownToolError("omp.agent", name, own);
}

function kernelError(issue: string): OmpError {
  return new OmpError({ operation: "omp.agent", issue, code: "NO_KERNEL" });
}

/** Throws OmpError as `checkTask` does. */
export function subagentOptions(choice: AgentChoice, parent: AgentParent): AgentSessionOptions {
  checkTask(choice, parent);
  const { options, services, model, sessionId, warn } = parent;
  const { settings } = services.workspace;
  const { id, depth } = choice;
  const definition = choice.agent === undefined ? undefined : findAgent(choice.agent, services.agents);
  const tools = toolsFor(choice.tools ?? definition?.tools, parent).filter(
    (name) => name !== "task" || depth < settings.bridge.maxDepth,
  );
  return {
    ask: options.ask,
    shared: services,
    asker: id,
    sharesKernel: choice.kernel === "shared" || choice.branch !== undefined,
    branch: choice.branch,
    waitsForAgents: true,
    session: sessionId === undefined ? { kind: "none" } : { kind: "agent", agent: id, parent: sessionId },
    tools,
    model:
      choice.model ??
      (definition && services.agentModels.nameFor(definition, { current: model.facts.name, settings, warn })),
    inherited: model,
    effort: options.effort,
    maxTurns: choice.maxTurns ?? options.maxTurns,
    // A line first: `@file` at the beginning would mean a file.
    systemPrompt: definition && `\n${definition.prompt}`,
    appendSystemPrompt:
      choice.branch === undefined ? instruction : `${instruction.trim()}\n${branchInstruction}`,
    depth,
  };
}

function findAgent(name: string, agents: readonly AgentDefinition[]): AgentDefinition {
  const found = agents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  const names = agents.map((agent) => agent.name);
  const nearest = nearestName(name, names);
  const advice =
    nearest !== undefined
      ? `did you mean '${nearest}'?`
      : names.length === 0
        ? "none is defined here: leave it out"
        : `use one of ${names.join(", ")}`;
  const issue = `unknown agent '${name}'; ${advice}`;
  throw new OmpError({ operation: "task", issue, code: "UNKNOWN_AGENT" });
}

/** Never more than the parent has. What cells search MCP servers with comes with their tools, and cannot be named. */
function toolsFor(
  named: readonly string[] | undefined,
  { toolNames, services }: AgentParent,
): readonly string[] {
  return toolNames.filter((name) => name !== services.mcp?.search.name && isNamed(name, named));
}
