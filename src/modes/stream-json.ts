/** The lines of `--output-format stream-json`. Their names are relied on from outside. */

import type { AgentEvent, Usage } from "../protocol/index.ts";
import { resultFields } from "./tool-call.ts";

type Line = Readonly<Record<string, unknown>>;

function line(type: string, fields: Line): Line {
  return { type, timestamp: new Date().toISOString(), ...fields };
}

function usageFields(usage: Usage): Line {
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cache_read: usage.cacheReadTokens,
    cache_write: usage.cacheWriteTokens,
    cost_usd: usage.costUsd ?? null,
  };
}

export const streamEvent = {
  init: (
    session: {
      readonly sessionId: string | undefined;
      readonly model: { readonly facts: { readonly name: string } };
      readonly toolNames: readonly string[];
    },
    cwd: string,
  ): Line =>
    line("init", {
      session_id: session.sessionId ?? null,
      model: session.model.facts.name,
      cwd,
      tools: session.toolNames,
    }),

  /** Events that scripts have no line for give none. */
  of: (event: AgentEvent): Line[] => {
    switch (event.type) {
      case "text_delta":
      case "reasoning_delta":
        return [line(event.type, { text: event.text })];
      case "tool_call":
        return [line("tool_call", { id: event.id, name: event.name, input: event.input })];
      case "tool_update":
        return [line("tool_update", { id: event.id, text: event.text })];
      case "tool_result":
        return [line("tool_result", { id: event.id, name: event.name, ...resultFields(event.result) })];
      case "assistant":
        return [line("usage", usageFields(event.usage))];
      case "error":
        return [line("error", { code: event.code, message: event.message })];
      case "retry":
        return [
          line("error", {
            code: "RETRY",
            message: `attempt ${event.attempt} in ${event.delayMs} ms: ${event.reason}`,
          }),
        ];
      default:
        return [];
    }
  },

  result: (end: Extract<AgentEvent, { type: "end" }>, sessionId: string | undefined): Line =>
    line("result", {
      status: end.status,
      text: end.text,
      turns: end.turns,
      usage: usageFields(end.usage),
      session_id: sessionId ?? null,
    }),
};
