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
  type RunStatus,
  type ToolResult,
  type Usage,
  type UserMessage,
  userMessage,
} from "../protocol/index.ts";
import { progressLine } from "./agent-progress.ts";
import { type AgentResult, agentResult } from "./agent-result.ts";
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

/** What is known of one, for a list. */
export interface Subagent {
  readonly id: string;
  readonly prompt: string;
  readonly startedAt: number;
  /** Undefined while it runs. */
  readonly endedAt: number | undefined;
  readonly status: "running" | RunStatus;
  /** The newest line about it. */
  readonly doing: string;
  /** Undefined before it is opened, and when no log is kept. */
  readonly sessionId: string | undefined;
}

const DEFAULT_NAME = "task";

export class Subagents {
  readonly #parts: SubagentsParts;
  readonly #places: Gate;
  readonly #listed = new Map<string, Subagent>();
  readonly #running = new Map<string, Running>();

  constructor(parts: SubagentsParts) {
    this.#parts = parts;
    this.#places = new Gate(parts.limits.maxConcurrency);
  }

  /** Runs one to its end. Throws OmpError when it cannot be started. */
  readonly run = async (task: AgentTask, call: AgentCall): Promise<ToolResult> => {
    const { parent, limits } = this.#parts;
    if (call.depth > limits.maxDepth) throw depthError(limits.maxDepth);
    const name = `${task.agent ?? DEFAULT_NAME}-${this.#listed.size + 1}`;
    const id = parent === undefined ? name : `${parent}/${name}`;
    const controller = new AbortController();
    const signal = AbortSignal.any([call.signal, controller.signal]);
    this.#listed.set(id, {
      id,
      prompt: task.prompt,
      startedAt: Date.now(),
      endedAt: undefined,
      status: "running",
      doing: "",
      sessionId: undefined,
    });
    const ended = this.#whenFree(id, task, { ...call, signal });
    this.#running.set(id, { ended, controller });
    let status: RunStatus = "failed";
    try {
      const result = await ended;
      ({ status } = result.details);
      return result;
    } finally {
      this.#running.delete(id);
      this.#change(id, { status, endedAt: Date.now() });
    }
  };

  /** Of this run of omp, in the order in which they were started. */
  list(): readonly Subagent[] {
    return [...this.#listed.values()];
  }

  /** @returns whether it was running; undefined when there is none of that id. */
  stop(id: string): boolean | undefined {
    if (!this.#listed.has(id)) return undefined;
    const running = this.#running.get(id);
    running?.controller.abort();
    return running !== undefined;
  }

  /** Ends those that run; resolves when nothing of them is left. */
  async close(): Promise<void> {
    for (const { controller } of this.#running.values()) controller.abort();
    await Promise.allSettled([...this.#running.values()].map(({ ended }) => ended));
  }

  #change(id: string, change: Partial<Subagent>): void {
    const subagent = this.#listed.get(id);
    if (subagent) this.#listed.set(id, { ...subagent, ...change });
  }

  async #whenFree(id: string, task: AgentTask, call: AgentCall): Promise<AgentResult> {
    try {
      return await this.#places.pass(call.signal, () => this.#perform(id, task, call));
    } catch (error) {
      // It waited for its turn, and has not begun.
      if (!call.signal.aborted || error !== call.signal.reason) throw error;
      return agentResult({ id, status: "interrupted", text: "", turns: 0, usage: noUsage });
    }
  }

  async #perform(id: string, { prompt, ...task }: AgentTask, call: AgentCall): Promise<AgentResult> {
    const startedAt = performance.now();
    const say = (line: string) => {
      this.#change(id, { doing: line });
      call.onUpdate(`${line}\n`);
    };
    const session = await this.#parts.open({ ...task, id, depth: call.depth, say });
    this.#change(id, { sessionId: session.sessionId });
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

interface Running {
  readonly ended: Promise<unknown>;
  readonly controller: AbortController;
}

function depthError(maxDepth: number): OmpError {
  const issue = `subagents may be nested ${maxDepth} deep; the setting bridge.maxDepth says how deep`;
  return new OmpError({ operation: "task", issue, code: "AGENT_LIMIT" });
}
