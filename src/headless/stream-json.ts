/** The lines of `--output-format stream-json`. Scripts rely on these names. */

import type { AgentSession } from "../app/agent-session.ts";
import { resultFields } from "../app/tool-call.ts";
import { type AgentEvent, errorLine, messageText, type Usage } from "../protocol/index.ts";
import type { HeadlessResult } from "./output.ts";

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

/** Of a nested call. */
function parentField({ parent }: { readonly parent?: string }): Line {
  return parent === undefined ? {} : { parent_id: parent };
}

/** Of a subagent that worked in the background: its end, and what it used. */
function announcementLines({ message, usage, parent }: Extract<AgentEvent, { type: "user" }>): Line[] {
  const { origin } = message;
  if (!("agent" in origin)) return [];
  const { agent } = origin;
  return [
    line("announcement", { agent, text: messageText(message) }),
    ...(usage ? [line("usage", { ...usageFields(usage), parent_id: parent ?? agent })] : []),
  ];
}

export const streamEvent = {
  init: ({ sessionId, model, toolNames: tools }: AgentSession, cwd: string): Line =>
    line("init", { session_id: sessionId ?? null, model: model.facts.name, cwd, tools }),

  /** Events that scripts have no line for give none. */
  of: (event: AgentEvent): Line[] => {
    switch (event.type) {
      case "text_delta":
      case "reasoning_delta":
        return [line(event.type, { text: event.text })];
      case "user":
        return announcementLines(event);
      case "tool_call":
        return [
          line("tool_call", { id: event.id, name: event.name, input: event.input, ...parentField(event) }),
        ];
      case "tool_update": {
        const { id, text, cell } = event;
        return [line("tool_update", { id, text, ...(cell === undefined ? {} : { cell }) })];
      }
      case "tool_result":
        return [
          line("tool_result", {
            id: event.id,
            name: event.name,
            ...resultFields(event.result),
            ...parentField(event),
          }),
          ...(event.usage
            ? [line("usage", { ...usageFields(event.usage), parent_id: event.parent ?? event.id })]
            : []),
        ];
      case "assistant":
        return [line("usage", usageFields(event.usage))];
      case "compacted":
        return [
          line("compacted", {
            tokens_before: event.tokensBefore,
            tokens_after: event.tokensAfter ?? null,
            summary: event.summary,
          }),
          ...(event.usage ? [line("usage", usageFields(event.usage))] : []),
        ];
      case "error":
        return [line("error", { code: event.code, message: event.message })];
      case "retry": {
        const issue = `attempt ${event.attempt} failed, ignore its deltas; retrying in ${event.delayMs} ms: ${event.reason}`;
        const code = "RETRY";
        return [line("error", { code, message: errorLine({ operation: "model", issue, code }) })];
      }
      default:
        return [];
    }
  },

  /** Always last. `error` is there when something went wrong, `cut` and `empty` when the answer is not what was hoped for. */
  result: (
    { status, text, isCut, isEmpty, turns, usage, sessionId }: HeadlessResult,
    error: { readonly code: string; readonly message: string } | undefined,
  ): Line =>
    line("result", {
      status,
      text,
      ...(isCut ? { cut: true } : {}),
      ...(isEmpty ? { empty: true } : {}),
      turns,
      usage: usageFields(usage),
      session_id: sessionId ?? null,
      ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    }),
};
