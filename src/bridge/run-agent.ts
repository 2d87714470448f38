/** `omp.agent`: what a cell asks of a subagent. */

import type { AgentTask } from "../protocol/index.ts";
import type { UnknownRecord } from "../protocol/record.ts";

/** What the code sends: `agents.py` makes it. */
export function readAgentTask({ prompt, agent, tools, model, maxTurns }: UnknownRecord): AgentTask {
  return {
    prompt: String(prompt),
    ...(typeof agent === "string" ? { agent } : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(String) } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof maxTurns === "number" ? { maxTurns: Math.max(1, Math.floor(maxTurns)) } : {}),
  };
}
