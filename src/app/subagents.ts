/**
 * The subagents of a session: each is a session of its own, with its own log, kernel and shell, that ends with its task. What it may do
 * is what its parent may.
 */

import { Gate } from "../async/gate.ts";
import {
  type AgentEvent,
  type AgentTask,
  noUsage,
  OmpError,
  type ToolResult,
  type Usage,
  type UserMessage,
  userMessage,
} from "../protocol/index.ts";
import { progressLine } from "./agent-progress.ts";
import { agentResult } from "./agent-result.ts";
import type { AgentCall } from "./tool-call.ts";

/** How a subagent is to be opened. */
export interface AgentChoice extends Omit<AgentTask, "prompt"> {
  /** Unique in its session, and with its parents' before it: `review-1/task-2`. */
  readonly id: string;
  readonly depth: number;
  /** Gets lines about what happens. */
  readonly say: (line: string) => void;
}

export interface AgentRun {
  /** Undefined when no log is kept. */
  readonly sessionId: string | undefined;
  readonly modelName: string;
  /** One line about a call. */
  summaryOf(name: string, input: unknown): string;
  run(prompt: UserMessage, signal: AbortSignal): AsyncIterable<AgentEvent>;
  /** @returns lines about work that was still running. */
  close(): Promise<readonly string[]>;
}

export interface SubagentsParts {
  /** Of the parent, where it is a subagent itself. */
  readonly parent: string | undefined;
  readonly limits: { readonly maxConcurrency: number; readonly maxDepth: number };
  /** Throws OmpError when the task names what does not exist. */
  open(choice: AgentChoice): Promise<AgentRun>;
}

const DEFAULT_NAME = "task";

export class Subagents {
  readonly #parts: SubagentsParts;
  readonly #places: Gate;
  readonly #running = new Map<Promise<unknown>, AbortController>();
  #started = 0;

  constructor(parts: SubagentsParts) {
    this.#parts = parts;
    this.#places = new Gate(parts.limits.maxConcurrency);
  }

  /** Runs one to its end. Throws OmpError when it cannot be started. */
  readonly run = async (task: AgentTask, call: AgentCall): Promise<ToolResult> => {
    const { parent, limits } = this.#parts;
    if (call.depth > limits.maxDepth) throw depthError(limits.maxDepth);
    this.#started += 1;
    const name = `${task.agent ?? DEFAULT_NAME}-${this.#started}`;
    const id = parent === undefined ? name : `${parent}/${name}`;
    const controller = new AbortController();
    const signal = AbortSignal.any([call.signal, controller.signal]);
    const running = this.#whenFree(id, task, { ...call, signal });
    this.#running.set(running, controller);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  };

  /** Ends those that run; resolves when nothing of them is left. */
  async close(): Promise<void> {
    for (const controller of this.#running.values()) controller.abort();
    await Promise.allSettled(this.#running.keys());
  }

  async #whenFree(id: string, task: AgentTask, call: AgentCall): Promise<ToolResult> {
    try {
      return await this.#places.pass(call.signal, () => this.#perform(id, task, call));
    } catch (error) {
      // It waited for its turn, and has not begun.
      if (!call.signal.aborted || error !== call.signal.reason) throw error;
      return agentResult({ id, status: "interrupted", text: "", turns: 0, usage: noUsage });
    }
  }

  async #perform(id: string, { prompt, ...task }: AgentTask, call: AgentCall): Promise<ToolResult> {
    const startedAt = performance.now();
    const say = (line: string) => call.onUpdate(`${line}\n`);
    const session = await this.#parts.open({ ...task, id, depth: call.depth, say });
    let ended: Extract<AgentEvent, { type: "end" }> | undefined;
    let problem: string | undefined;
    let usage: Usage = noUsage;
    try {
      for await (const event of session.run(userMessage(prompt), call.signal)) {
        const line = progressLine(event, session);
        if (line !== undefined) say(line);
        if (event.type === "error") problem = event.message;
        if (event.type === "end") {
          ended = event;
          usage = event.usage;
        }
      }
    } finally {
      for (const line of await session.close()) say(line);
    }
    const { status, text, turns } = ended ?? { status: "failed" as const, text: "", turns: 0 };
    const { sessionId, modelName: model } = session;
    const durationMs = Math.round(performance.now() - startedAt);
    return agentResult({ id, status, text, turns, usage, problem, sessionId, model, durationMs });
  }
}

function depthError(maxDepth: number): OmpError {
  const issue = `subagents may be nested ${maxDepth} deep; the setting bridge.maxDepth says how deep`;
  return new OmpError({ operation: "task", issue, code: "AGENT_LIMIT" });
}
