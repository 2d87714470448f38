/**
 * Runs the calls of one turn: those that may overlap together, the others one at a time, all in the order in which the model
 * asked for them.
 */

import type {
  AgentEvent,
  ToolCallContent,
  ToolConcurrency,
  ToolMessage,
  ToolResult,
} from "../protocol/index.ts";
import { EventQueue } from "./event-queue.ts";

/** What the loop knows of tools. */
export interface ToolHost {
  /** Undefined for a tool that does not exist. */
  concurrency(name: string): ToolConcurrency | undefined;
  /** Never throws for what a model can cause; an unknown tool or a bad input is a result, too. */
  run(
    call: { readonly name: string; readonly input: unknown },
    options: { readonly signal: AbortSignal; readonly onUpdate: (text: string) => void },
  ): Promise<ToolResult>;
}

const INTERRUPTED: ToolResult = {
  isError: true,
  output: "[interrupted by the user]",
  details: { cancelled: true },
};

/**
 * Every call gets its `tool_call` before it runs and its `tool_result` after, also when the run is aborted meanwhile: providers
 * refuse a history in which a call has no answer. Returns the answers for the history.
 */
export async function* runToolCalls(
  calls: readonly ToolCallContent[],
  host: ToolHost,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, ToolMessage[], void> {
  const answers: ToolMessage[] = [];
  for (const group of groups(calls, host)) {
    const events = new EventQueue<AgentEvent>();
    const results = Promise.all(group.map((call) => runOne(call, host, signal, events))).finally(() =>
      events.end(),
    );
    // Failures are bugs: they are thrown when the events are through.
    results.catch(() => undefined);
    yield* events;
    for (const [index, result] of (await results).entries()) {
      const call = group[index];
      if (call) answers.push(answerTo(call, result));
    }
  }
  return answers;
}

async function runOne(
  call: ToolCallContent,
  host: ToolHost,
  signal: AbortSignal,
  events: EventQueue<AgentEvent>,
): Promise<ToolResult> {
  const { id, name, input } = call;
  events.push({ type: "tool_call", id, name, input });
  const result = signal.aborted
    ? INTERRUPTED
    : await host.run(
        { name, input },
        { signal, onUpdate: (text) => events.push({ type: "tool_update", id, text }) },
      );
  events.push({ type: "tool_result", id, name, result });
  return result;
}

/** Neighbours that may overlap form a group; every other call is one of its own. */
function groups(calls: readonly ToolCallContent[], host: ToolHost): ToolCallContent[][] {
  const found: ToolCallContent[][] = [];
  let open: ToolCallContent[] | undefined;
  for (const call of calls) {
    const mayOverlap = host.concurrency(call.name) === "parallel";
    if (mayOverlap && open) {
      open.push(call);
      continue;
    }
    const group = [call];
    found.push(group);
    open = mayOverlap ? group : undefined;
  }
  return found;
}

function answerTo(call: ToolCallContent, result: ToolResult): ToolMessage {
  return {
    role: "tool",
    callId: call.id,
    name: call.name,
    output: result.output,
    isError: result.isError,
    ...(result.images ? { images: result.images } : {}),
  };
}
