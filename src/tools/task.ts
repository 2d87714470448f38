/** `task`: a piece of work for a subagent, which the session runs. The tool changes nothing itself: each of the subagent's calls is approved on its own. */

import * as z from "zod";
import prompt from "../../prompts/tools/task.md" with { type: "text" };
import type { Tool } from "../protocol/index.ts";
import { defineTool } from "./define-tool.ts";
import { flagField } from "./fields.ts";
import { ToolError } from "./tool-error.ts";

const schema = z.strictObject({
  prompt: z.string().refine((text) => text.trim() !== "", { error: "must not be empty" }),
  agent: z.string().optional(),
  background: flagField("Return at once; the answer is announced when it is there."),
});

export type TaskInput = z.output<typeof schema>;

/** A subagent that the user or the project has defined. */
interface DefinedAgent {
  readonly name: string;
  readonly description: string;
}

export function taskTool(agents: readonly DefinedAgent[]): Tool<TaskInput> {
  return defineTool({
    name: "task",
    prompt: `${prompt.trim()}${listed(agents)}`,
    schema,
    readOnly: true,
    summary: ({ prompt: words, agent }) => (agent === undefined ? words : `${agent}: ${words}`),
    run: async (task, { runAgent }) => {
      if (runAgent !== undefined) return await runAgent(task);
      const issue = "there is no conversation here that a subagent could belong to";
      throw new ToolError({ operation: "task", issue, code: "NO_AGENTS" });
    },
  });
}

const MAX_DESCRIPTION = 160;

/** Every request has these words: of long descriptions, the beginning. */
function listed(agents: readonly DefinedAgent[]): string {
  if (agents.length === 0) return "";
  const lines = agents.map(({ name, description }) => {
    const words =
      description.length > MAX_DESCRIPTION ? `${description.slice(0, MAX_DESCRIPTION - 1)}…` : description;
    return words === "" ? `- ${name}` : `- ${name}: ${words}`;
  });
  return `\n\nAgents:\n${lines.join("\n")}`;
}
