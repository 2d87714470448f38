/** A directory of sessions for a test, and the events that go into one. */

import { join } from "node:path";
import { SessionStore } from "../../src/history/store.ts";
import {
  type AgentEvent,
  type MessageOrigin,
  type ToolCallContent,
  userMessage,
} from "../../src/protocol/index.ts";
import { temporaryDirectory } from "../support/home.ts";

export interface TestSessions {
  readonly store: SessionStore;
  readonly directory: string;
  readonly cwd: string;
}

export function testSessions(): TestSessions {
  const root = temporaryDirectory();
  const directory = join(root, "agent", "omp-sessions");
  return { store: new SessionStore({ sessions: directory }), directory, cwd: join(root, "project") };
}

export function user(text: string, origin?: MessageOrigin): Extract<AgentEvent, { type: "user" }> {
  return { type: "user", message: userMessage(text, origin) };
}

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function assistant(text: string, ...calls: readonly ToolCallContent[]): AgentEvent {
  return {
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text }, ...calls] },
    reason: calls.length > 0 ? "tool_calls" : "stop",
    usage,
  };
}

export function call(id: string, name = "bash"): ToolCallContent {
  return { type: "tool_call", id, name, input: { command: id } };
}

export function result(id: string, output: string, name = "bash"): AgentEvent {
  return { type: "tool_result", id, name, result: { isError: false, output, details: {} } };
}
