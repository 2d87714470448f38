/**
 * The bridge of one call: what its code asks of omp while it runs becomes nested calls, which are checked, approved, logged, limited and
 * ended as the model's own. Sees tools only as a port, and knows no kernel.
 */

import { onAbort } from "../async/abort.ts";
import { Gate } from "../async/gate.ts";
import { count } from "../format/numbers.ts";
import type { Bridge, BridgeOptions, NestedEvent, ToolConcurrency, ToolResult } from "../protocol/index.ts";
import type { UnknownRecord } from "../protocol/record.ts";
import { type BridgeLimits, cancelled, limitRefusal, refusal } from "./limits.ts";

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
  /** Undefined for a tool that does not exist. */
  concurrency(name: string): ToolConcurrency | undefined;
  /** Runs a call as it runs for the model. Never throws for what code can cause. */
  run(call: NestedCall): Promise<ToolResult>;
  /** Resolves when the event is in the log. */
  onEvent(event: NestedEvent): Promise<void>;
}

/** What the code no longer waits for. */
const WITHDRAWN = "withdrawn";

export class CallBridge implements Bridge {
  readonly #parts: BridgeParts;
  readonly #open = new Map<unknown, AbortController>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #places: Gate;
  /** Calls that change something do not overlap: the call that they belong to has the session's turn for them. */
  readonly #turn = new Gate(1);
  readonly #stopListening: () => void;
  #calls = 0;
  #isOver = false;

  constructor(parts: BridgeParts, { signal }: Pick<BridgeOptions, "signal">) {
    this.#parts = parts;
    this.#places = new Gate(parts.limits.maxConcurrency);
    this.#stopListening = onAbort(signal, () => this.#end());
  }

  async answer(request: UnknownRecord): Promise<UnknownRecord> {
    const { id, about, name, input } = request;
    if (about === WITHDRAWN) {
      this.#open.get(id)?.abort();
      return {};
    }
    if (about === "tool" && typeof name === "string") return await this.#call(id, name, input);
    return refusal("omp", `this version of omp does not know '${about}'`, "UNKNOWN_REQUEST");
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

  async #call(request: unknown, name: string, input: unknown): Promise<UnknownRecord> {
    const operation = `omp.tools.${name}`;
    const refused = this.#refusal(operation);
    if (refused) return refused;
    this.#calls += 1;
    const id = `${this.#parts.parent}.${this.#calls}`;
    const controller = new AbortController();
    this.#open.set(request, controller);
    const running = this.#whenFree({ id, name, input, signal: controller.signal });
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
      return limitRefusal(operation, `calls may be nested ${limits.maxDepth} deep`, "bridge.maxDepth");
    if (this.#calls < limits.maxCalls) return undefined;
    return limitRefusal(
      operation,
      `the code of one call may make ${count(limits.maxCalls, "call")}`,
      "bridge.maxCalls",
    );
  }

  #whenFree(call: NestedCall): Promise<ToolResult> {
    const place = () => this.#places.pass(call.signal, () => this.#run(call));
    return this.#parts.concurrency(call.name) === "exclusive" ? this.#turn.pass(call.signal, place) : place();
  }

  async #run(call: NestedCall): Promise<ToolResult> {
    const { parent, run, onEvent } = this.#parts;
    const { id, name, input } = call;
    await onEvent({ type: "tool_call", id, name, input, parent });
    const result = await run(call);
    await onEvent({ type: "tool_result", id, name, result, parent });
    return result;
  }
}

function answerOf({ isError, output, details, images = [] }: ToolResult): UnknownRecord {
  return isError ? { error: output, details } : { text: output, details, images };
}
