/** An agent over a scripted model and tools of a test's own, and everything that happened in a run. */

import { Agent, type AgentOptions } from "../../src/agent/agent.ts";
import type { ToolHost } from "../../src/agent/tool-calls.ts";
import { defaultRetryPolicy } from "../../src/models/retry.ts";
import { ScriptedModel, type ScriptedTurn } from "../../src/models/scripted-model.ts";
import {
  type AgentEvent,
  type Message,
  type Model,
  type ModelRequest,
  type OnUpdate,
  type ToolConcurrency,
  type ToolResult,
  userMessage,
} from "../../src/protocol/index.ts";

const COMPACT_INSTRUCTION = "Sum up.";

export interface ScriptedOptions {
  readonly contextTokens?: number;
  readonly acceptsImages?: boolean;
  readonly retryDelayMs?: number;
  /** The answer to every request for a summary, in addition to the turns. */
  readonly summary?: string;
  /** Called with every request, before its turn. */
  readonly onRequest?: (request: ModelRequest) => void;
}

/** What a request held, as it was when it was made: the agent goes on changing its history. */
export interface SeenRequest {
  readonly system: string;
  readonly messages: readonly Message[];
}

export function scripted(turns: readonly ScriptedTurn[], options: ScriptedOptions = {}) {
  const requests: SeenRequest[] = [];
  const left = [...turns];
  const model = new ScriptedModel({
    facts: {
      name: "test/model",
      contextTokens: options.contextTokens ?? 200_000,
      maxOutputTokens: 1_000,
      acceptsImages: options.acceptsImages ?? true,
      takesEffort: false,
    },
    service: { provider: "test", modelId: "model", baseUrl: "", keyVariables: [], apiKey: undefined },
    retry: { ...defaultRetryPolicy, baseDelayMs: options.retryDelayMs ?? 1 },
    paceMs: 0,
    nextTurn: (request) => {
      requests.push({ system: request.system, messages: [...request.messages] });
      options.onRequest?.(request);
      if (options.summary !== undefined && request.system === COMPACT_INSTRUCTION)
        return { text: options.summary };
      const turn = left.shift();
      if (turn === undefined) throw new Error("the script has no turn left");
      return turn;
    },
  });
  return { model, requests };
}

export interface TestTool {
  readonly concurrency?: ToolConcurrency;
  readonly run: (
    input: unknown,
    options: { readonly signal: AbortSignal; readonly onUpdate: OnUpdate },
  ) => Promise<string> | string;
}

export function toolHost(tools: Readonly<Record<string, TestTool>>): ToolHost {
  return {
    concurrency: (name) => (tools[name] ? (tools[name].concurrency ?? "exclusive") : undefined),
    run: async ({ name, input }, options): Promise<ToolResult> => {
      const tool = tools[name];
      if (tool === undefined) return { isError: true, output: `${name}: unknown tool`, details: {} };
      return { isError: false, output: await tool.run(input, options), details: {} };
    },
  };
}

export function agentWith(
  model: Model,
  options: Partial<AgentOptions> & { readonly toolsByName?: Readonly<Record<string, TestTool>> } = {},
): Agent {
  const { toolsByName = {}, ...rest } = options;
  return new Agent({
    model,
    tools: [],
    host: toolHost(toolsByName),
    system: "You are a test.",
    maxTurns: 20,
    compactInstruction: COMPACT_INSTRUCTION,
    ...rest,
  });
}

export async function runToEnd(
  agent: Agent,
  prompt: string,
  {
    signal = new AbortController().signal,
    onEvent = () => undefined,
  }: { readonly signal?: AbortSignal; readonly onEvent?: (event: AgentEvent) => void } = {},
): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.run(userMessage(prompt), signal)) {
    events.push(event);
    onEvent(event);
  }
  return events;
}

/** One word or line an event; deltas left out. */
export function story(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "user":
        return [`user: ${textOf(event.message)}`];
      case "assistant":
        return [`assistant: ${textOf(event.message)}`];
      case "tool_call":
        return [`call ${event.id} ${event.name}`];
      case "tool_update":
        return [`update ${event.id} ${event.text}`];
      case "tool_result":
        return [`result ${event.id}${event.result.isError ? "!" : ""} ${event.result.output}`];
      case "compacted":
        // The summary is one of them.
        return [`compacted: ${event.summary} (kept ${(event.history?.length ?? 0) - 1})`];
      case "notice":
        return [`notice: ${event.text}`];
      case "error":
        return [`error ${event.code}: ${event.message}`];
      case "retry":
        return [`retry ${event.attempt}`];
      case "end":
        return [`end ${event.status} after ${event.turns}: ${event.text}`];
      default:
        return [];
    }
  });
}

export function textOf({ content }: { readonly content: readonly { readonly type: string }[] }): string {
  return content.map((part) => ("text" in part ? String(part.text) : `[${part.type}]`)).join("");
}

/** The history as lines. */
export function lines(history: readonly Message[]): string[] {
  return history.map((message) =>
    message.role === "tool"
      ? `${message.callId}${message.isError ? "!" : ""}: ${message.output}`
      : `${message.role}: ${textOf(message)}`,
  );
}
