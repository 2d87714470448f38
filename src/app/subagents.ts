/**
 * The subagents of a session: each is a session of its own, with its own log and shell, that ends with its task. What it may do is what
 * its parent may. One in the background belongs to the session and not to the call that has started it: its end is announced.
 */

import type { Announced } from "../agent/inbox.ts";
import { unlessAborted } from "../async/abort.ts";
import { Gate } from "../async/gate.ts";
import { type AgentTask, noUsage, OmpError, type RunStatus, type ToolResult } from "../protocol/index.ts";
import { announceAgent, endNotice, firstWords } from "./agent-announcement.ts";
import { type AgentResult, agentResult, startedResult } from "./agent-result.ts";
import { type AgentChoice, type AgentRun, performTask } from "./agent-task.ts";
import type { AgentCall } from "./tool-call.ts";

export interface SubagentsParts {
  /** Of the parent, where it is a subagent itself. */
  readonly parent: string | undefined;
  readonly limits: { readonly maxConcurrency: number; readonly maxDepth: number };
  /** Throws OmpError when the task names what does not exist. */
  check(task: AgentTask): void;
  /** Throws OmpError, too. */
  open(choice: AgentChoice): Promise<AgentRun>;
  /** One in the background has ended. */
  onEnd(announced: () => Announced): void;
  /** One in the background has started or, with a line about it, ended. */
  onChange?: ((ended?: string) => void) | undefined;
}

/** What is known of one, for a list. */
export interface Subagent {
  readonly id: string;
  readonly prompt: string;
  readonly startedAt: number;
  /** Undefined while it runs. */
  readonly endedAt: number | undefined;
  readonly status: "running" | RunStatus;
  readonly isBackground: boolean;
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
  readonly #background = new Map<string, BackgroundAgent>();
  /** Lines about those that were ended with the session. */
  readonly #left: string[] = [];
  #isEnding = false;

  constructor(parts: SubagentsParts) {
    this.#parts = parts;
    this.#places = new Gate(parts.limits.maxConcurrency);
  }

  /** Runs one to its end, or starts it in the background. Throws OmpError when it cannot be started. */
  readonly run = async (task: AgentTask, call: AgentCall): Promise<ToolResult> => {
    const { limits, check } = this.#parts;
    if (call.depth > limits.maxDepth) throw depthError(limits.maxDepth);
    const unpaid = call.spending?.refusal("task");
    if (unpaid) throw unpaid;
    check(task);
    const id = this.#add(task);
    if (task.background === true) return this.#start(id, task, call);
    const controller = new AbortController();
    const signal = AbortSignal.any([call.signal, controller.signal]);
    return await this.#live(id, task, { ...call, signal }, controller);
  };

  /** Of this run of omp, in the order in which they were started. */
  list(): readonly Subagent[] {
    return [...this.#listed.values()];
  }

  /** One that was started in the background, for the code that has a handle of it. */
  readonly find = (id: string): BackgroundAgent | undefined => this.#background.get(id);

  /** The ids of those in the background that have not ended. */
  get working(): readonly string[] {
    return [...this.#background.values()].filter(({ result }) => !result).map(({ id }) => id);
  }

  /** Resolves when none works in the background any more. Throws the signal's reason. */
  async untilEnded(signal: AbortSignal): Promise<void> {
    while (this.working.length > 0)
      await unlessAborted(Promise.all([...this.#background.values()].map(({ ended }) => ended)), signal);
  }

  /** @returns whether it was running; undefined when there is none of that id. */
  stop(id: string): boolean | undefined {
    if (!this.#listed.has(id)) return undefined;
    const running = this.#running.get(id);
    running?.controller.abort();
    return running !== undefined;
  }

  /** Ends those that run; resolves when nothing of them is left. @returns a line about each that worked in the background until now. */
  async close(): Promise<readonly string[]> {
    await this.endAll();
    return this.#left.splice(0);
  }

  /** What the session has them do is over, though they are not. */
  async endAll(): Promise<void> {
    const { working } = this;
    this.#left.push(
      ...working.map((id) => {
        const words = firstWords(this.#listed.get(id)?.prompt ?? "");
        return `omp: subagent ${id} was still working and was ended: ${words}`;
      }),
    );
    this.#isEnding = true;
    for (const { controller } of this.#running.values()) controller.abort();
    await Promise.allSettled([...this.#running.values()].map(({ ended }) => ended));
    await Promise.all(working.map((id) => this.#background.get(id)?.ended));
    this.#isEnding = false;
  }

  #add({ agent = DEFAULT_NAME, prompt, background = false }: AgentTask): string {
    const { parent } = this.#parts;
    const name = `${agent}-${this.#listed.size + 1}`;
    const id = parent === undefined ? name : `${parent}/${name}`;
    this.#listed.set(id, {
      ...{ id, prompt, startedAt: Date.now(), endedAt: undefined, status: "running" },
      ...{ isBackground: background, doing: "", sessionId: undefined },
    });
    return id;
  }

  #start(id: string, task: AgentTask, call: AgentCall): ToolResult {
    const controller = new AbortController();
    const own: AgentCall = { ...call, signal: controller.signal, onUpdate: () => undefined };
    const ended = this.#live(id, task, own, controller).catch((error: unknown) => failure(id, error));
    const agent = new BackgroundAgent(id, task.kernel === "shared", ended, controller);
    this.#background.set(id, agent);
    void ended.then((result) => this.#announce(agent, result, call));
    this.#parts.onChange?.();
    return startedResult(id);
  }

  #announce(agent: BackgroundAgent, result: AgentResult, { callId, hasHandle = false }: AgentCall): void {
    const { id } = agent;
    const { prompt = "", startedAt = 0, endedAt = Date.now() } = this.#listed.get(id) ?? {};
    const ended = {
      ...{ id, prompt, result, durationMs: endedAt - startedAt, call: callId, hasHandle },
      isLeft: this.#isEnding && result.details.status === "interrupted",
    };
    this.#parts.onEnd(() => announceAgent({ ...ended, isRead: agent.isRead }));
    this.#parts.onChange?.(endNotice(ended));
  }

  async #live(
    id: string,
    task: AgentTask,
    call: AgentCall,
    controller: AbortController,
  ): Promise<AgentResult> {
    const ended = this.#whenFree(id, task, call);
    this.#running.set(id, { ended, controller });
    let status: RunStatus = "failed";
    try {
      const result = await ended;
      call.spending?.add(result.usage);
      ({ status } = result.details);
      return result;
    } finally {
      this.#running.delete(id);
      this.#change(id, { status, endedAt: Date.now() });
    }
  }

  #change(id: string, change: Partial<Subagent>): void {
    const subagent = this.#listed.get(id);
    if (subagent) this.#listed.set(id, { ...subagent, ...change });
  }

  async #whenFree(id: string, task: AgentTask, call: AgentCall): Promise<AgentResult> {
    try {
      return await this.#places.pass(call.signal, async () => {
        // Others that the same code has started may have spent what there was while this one waited.
        const unpaid = call.spending?.refusal("task");
        if (unpaid) throw unpaid;
        return await performTask(id, task, call, {
          open: this.#parts.open,
          onOpen: (sessionId) => this.#change(id, { sessionId }),
          onLine: (doing) => this.#change(id, { doing }),
        });
      });
    } catch (error) {
      // It waited for its turn, and has not begun.
      if (!call.signal.aborted || error !== call.signal.reason) throw error;
      return agentResult({ id, status: "interrupted", text: "", turns: 0, usage: noUsage });
    }
  }
}

/** One that belongs to the session, from its start until omp ends. */
class BackgroundAgent {
  readonly id: string;
  /** Its cells run in its parent's kernel. */
  readonly isShared: boolean;
  /** Never rejects. */
  readonly ended: Promise<AgentResult>;
  readonly #controller: AbortController;
  #result: AgentResult | undefined;
  #isRead = false;

  constructor(id: string, isShared: boolean, ended: Promise<AgentResult>, controller: AbortController) {
    this.id = id;
    this.isShared = isShared;
    this.#controller = controller;
    this.ended = ended.then((result) => {
      this.#result = result;
      return result;
    });
  }

  get result(): AgentResult | undefined {
    return this.#result;
  }

  get isRead(): boolean {
    return this.#isRead;
  }

  markRead(): void {
    this.#isRead = true;
  }

  wait(signal: AbortSignal): Promise<AgentResult> {
    return unlessAborted(this.ended, signal);
  }

  stop(): void {
    this.#controller.abort();
  }
}

interface Running {
  readonly ended: Promise<unknown>;
  readonly controller: AbortController;
}

function failure(id: string, error: unknown): AgentResult {
  const problem = error instanceof OmpError ? error.message : `unexpected: ${error}`;
  return agentResult({ id, status: "failed", text: "", turns: 0, usage: noUsage, problem });
}

function depthError(maxDepth: number): OmpError {
  const issue = `subagents can be nested at most ${maxDepth} deep (setting bridge.maxDepth)`;
  return new OmpError({ operation: "task", issue, code: "AGENT_LIMIT" });
}
