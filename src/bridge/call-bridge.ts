/**
 * The bridge of one call: what its code asks of omp while it runs becomes nested calls, which are checked, approved, logged, limited and
 * ended as the model's own. Sees tools and models only as `protocol` has them, and knows no kernel.
 */

import { onAbort } from "../async/abort.ts";
import { Gate } from "../async/gate.ts";
import { count } from "../format/numbers.ts";
import {
  type Bridge,
  type BridgeOptions,
  type Model,
  type NestedEvent,
  noUsage,
  type OmpError,
  type ToolConcurrency,
  type ToolResult,
  type Usage,
} from "../protocol/index.ts";
import type { UnknownRecord } from "../protocol/record.ts";
import { answerInputs, type InputSource } from "./answer-inputs.ts";
import { askModel, readLlmRequest } from "./ask-model.ts";
import {
  AGENT,
  type CellAgents,
  lookAfterAgent,
  noAgents,
  readAgentTask,
  taskRefusal,
} from "./cell-agents.ts";
import { type BridgeLimits, cancelled, limitRefusal, refusal, type Spending } from "./limits.ts";

export interface NestedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

export interface BridgeParts {
  /** The id of the call whose code asks. */
  readonly parent: string;
  /** Of the nested calls: 1 where the model made the call itself. */
  readonly depth: number;
  readonly limits: BridgeLimits;
  /** Of the code of the model's own call: cells that it has others run spend the same money. */
  readonly spending: Spending;
  /** Undefined for a tool that does not exist. */
  concurrency(name: string): ToolConcurrency | undefined;
  /** Runs a call as it runs for the model. Never throws for what code can cause. */
  run(call: NestedCall): Promise<ToolResult>;
  /** The session's without a name. Throws ModelError. */
  openModel(name: string | undefined): Promise<Model>;
  /** Absent where there is no conversation. */
  readonly agents?: CellAgents | undefined;
  /** Answers what cells ask about copies of their kernel. */
  readonly branches?: ((request: UnknownRecord) => Promise<UnknownRecord>) | undefined;
  /** What cells find as `omp.inputs`. */
  readonly inputs?: InputSource | undefined;
  /** Resolves when the event is in the log. */
  onEvent(event: NestedEvent): Promise<void>;
}

export class CallBridge implements Bridge {
  readonly #parts: BridgeParts;
  readonly #open = new Map<unknown, AbortController>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #places: Gate;
  /** Calls that change something do not overlap: the call that they belong to has the session's turn for them. */
  readonly #turn = new Gate(1);
  readonly #groups = new Map<string, Gate>();
  readonly #stopListening: () => void;
  #calls = 0;
  #isOver = false;

  constructor(parts: BridgeParts, { signal }: Pick<BridgeOptions, "signal">) {
    this.#parts = parts;
    this.#places = new Gate(parts.limits.maxConcurrency);
    this.#stopListening = onAbort(signal, () => this.#end());
  }

  async answer(request: UnknownRecord): Promise<UnknownRecord> {
    const { id, about } = request;
    switch (about) {
      case "withdrawn":
        this.#open.get(id)?.abort();
        return {};
      case "tool":
        return await this.#callTool(id, request);
      case "llm":
        return await this.#askModel(id, request);
      case "agent":
        return await this.#runAgent(id, request);
      case "agent_handle":
        return await this.#lookAfterAgent(id, request);
      case "branch":
        return (
          (await this.#parts.branches?.(request)) ??
          refusal("omp.branch", "there is no kernel to copy", "NO_BRANCH")
        );
      case "inputs":
        return answerInputs(this.#parts.inputs, request);
      default:
        return refusal("omp", `this version of omp does not know '${about}'`, "UNKNOWN_REQUEST");
    }
  }

  async close(): Promise<void> {
    this.#end();
    this.#stopListening();
    await Promise.allSettled(this.#running);
  }

  #end(): void {
    this.#isOver = true;
    for (const controller of this.#open.values()) controller.abort();
  }

  async #callTool(request: unknown, { name: named, input }: UnknownRecord): Promise<UnknownRecord> {
    const { run, concurrency } = this.#parts;
    const name = String(named);
    return await this.#nest(request, {
      operation: `omp.tools.${name}`,
      name,
      input,
      gate: concurrency(name) === "exclusive" ? this.#turn : undefined,
      run: (id, signal) => run({ id, name, input, signal }),
    });
  }

  async #askModel(request: unknown, fields: UnknownRecord): Promise<UnknownRecord> {
    const { spending, openModel } = this.#parts;
    const asked = readLlmRequest(fields);
    const operation = "omp.llm";
    const refused = spending.refusal(operation);
    if (refused) return refusalOf(refused);
    return await this.#nest(request, {
      operation,
      name: "llm",
      input: { ...asked, images: asked.images.length },
      gate: this.#groupGate(fields),
      run: async (_, signal) => {
        const result = await askModel(openModel, asked, signal);
        spending.add(result.usage);
        return result;
      },
    });
  }

  async #runAgent(request: unknown, fields: UnknownRecord): Promise<UnknownRecord> {
    const { spending, agents } = this.#parts;
    if (agents === undefined) return noAgents();
    const task = readAgentTask(fields);
    const unpaid = spending.refusal(AGENT);
    const refused = unpaid ? refusalOf(unpaid) : taskRefusal(task);
    if (refused) return refused;
    return await this.#nest(request, {
      operation: AGENT,
      name: "agent",
      input: task,
      gate: undefined,
      run: (_, signal) => agents.run(task, signal),
    });
  }

  /** No call of its own: it runs nothing. */
  async #lookAfterAgent(request: unknown, fields: UnknownRecord): Promise<UnknownRecord> {
    const { agents } = this.#parts;
    if (agents === undefined) return noAgents();
    if (this.#isOver) return cancelled(AGENT);
    const controller = new AbortController();
    this.#open.set(request, controller);
    try {
      return await lookAfterAgent(agents, fields, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      return cancelled(AGENT);
    } finally {
      this.#open.delete(request);
    }
  }

  /** The prompts of one `llm.map`: more of them arrive than may run at a time. */
  #groupGate({ group, atOnce }: UnknownRecord): Gate | undefined {
    if (typeof group !== "string" || typeof atOnce !== "number") return undefined;
    const gate = this.#groups.get(group) ?? new Gate(atOnce);
    this.#groups.set(group, gate);
    return gate;
  }

  async #nest(request: unknown, nested: Nested): Promise<UnknownRecord> {
    const { operation } = nested;
    const refused = this.#refusal(operation);
    if (refused) return refused;
    this.#calls += 1;
    const id = `${this.#parts.parent}.${this.#calls}`;
    const controller = new AbortController();
    this.#open.set(request, controller);
    const running = this.#whenFree(id, nested, controller.signal);
    this.#running.add(running);
    try {
      const result = await running;
      return controller.signal.aborted ? cancelled(operation) : answerOf(result);
    } catch (error) {
      // It waited for its turn, and has not begun.
      if (controller.signal.aborted && error === controller.signal.reason) return cancelled(operation);
      throw error;
    } finally {
      this.#running.delete(running);
      this.#open.delete(request);
    }
  }

  #refusal(operation: string): UnknownRecord | undefined {
    const { limits, depth } = this.#parts;
    if (this.#isOver) return cancelled(operation);
    if (depth > limits.maxDepth)
      return limitRefusal(
        operation,
        `calls can be nested at most ${limits.maxDepth} deep`,
        "bridge.maxDepth",
      );
    if (this.#calls < limits.maxCalls) return undefined;
    return limitRefusal(
      operation,
      `the code of one call can make at most ${count(limits.maxCalls, "call")}`,
      "bridge.maxCalls",
    );
  }

  #whenFree(id: string, nested: Nested, signal: AbortSignal): Promise<ToolResult> {
    const place = () => this.#places.pass(signal, () => this.#run(id, nested, signal));
    return nested.gate ? nested.gate.pass(signal, place) : place();
  }

  async #run(id: string, { name, input, run }: Nested, signal: AbortSignal): Promise<ToolResult> {
    const { parent, onEvent } = this.#parts;
    await onEvent({ type: "tool_call", id, name, input, parent });
    const { usage, ...result } = await run(id, signal);
    await onEvent({ type: "tool_result", id, name, result, parent, ...(isSpent(usage) ? { usage } : {}) });
    return result;
  }
}

/** A call as the bridge sees it, whatever it is of. */
interface Nested {
  /** As the code wrote it. */
  readonly operation: string;
  readonly name: string;
  /** For the log. */
  readonly input: unknown;
  /** Lets only some of its kind run at a time. */
  readonly gate: Gate | undefined;
  readonly run: (id: string, signal: AbortSignal) => Promise<ToolResult & { readonly usage?: Usage }>;
}

/** A request that failed at once has used nothing: its cost is none, and not unknown. */
function isSpent(usage: Usage | undefined): usage is Usage {
  return usage !== undefined && usage !== noUsage;
}

function refusalOf({ message, code }: OmpError): UnknownRecord {
  return { error: message, details: { success: false, code } };
}

function answerOf({ isError, output, details, images = [] }: ToolResult): UnknownRecord {
  if (isError) return { error: output, details };
  // Code that gave a schema reads the value.
  return { text: output, details, images, ...("value" in details ? { value: details["value"] } : {}) };
}
