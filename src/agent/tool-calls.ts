/**
 * Runs the calls of one turn: those that may overlap together, the others one at a time, all in the order in which the model
 * asked for them.
 */

import { untilAborted } from "../async/abort.ts";
import { EventQueue } from "../async/event-queue.ts";
import {
  type AgentEvent,
  addUsage,
  type NestedEvent,
  noUsage,
  type OnUpdate,
  type ToolCallContent,
  type ToolConcurrency,
  type ToolMessage,
  type ToolResult,
  toolMessage,
  type Usage,
} from "../protocol/index.ts";
import { LiveOutput } from "./live-output.ts";

/** What the loop knows of tools. */
export interface ToolHost {
  /** Undefined for a tool that does not exist. */
  concurrency(name: string): ToolConcurrency | undefined;
  /** Never throws for what a model can cause; an unknown tool or a bad input is a result, too. */
  run(
    call: { readonly id: string; readonly name: string; readonly input: unknown },
    options: {
      readonly signal: AbortSignal;
      readonly onUpdate: OnUpdate;
      /** The calls that its own code makes; resolves when the consumer has handled them. */
      readonly onNested: (event: NestedEvent) => Promise<void>;
    },
  ): Promise<ToolResult>;
}

/** An event on its way to the consumer. */
interface Delivery {
  /** Made when it is delivered. */
  readonly event: () => AgentEvent;
  /** Called when the consumer has handled it. */
  readonly onHandled?: () => void;
}

const interrupted: ToolResult = {
  isError: true,
  output: "[interrupted by the user before it was started]",
  details: { cancelled: true, segments: [{ lines: 1, note: "" }] },
};
const cutOff: ToolResult = {
  isError: true,
  output:
    "[not run: your output limit was reached before this call was complete; make it shorter, or split it into several calls]",
  details: { segments: [{ lines: 1, note: "not run: the model's output limit cut it off" }] },
};

/**
 * Every call gets its `tool_call` before it runs and its `tool_result` after, also when the run is aborted meanwhile: providers
 * refuse a history in which a call has no answer. Returns the answers for the history, and what the calls' own code used of models.
 */
export async function* runToolCalls(
  calls: readonly ToolCallContent[],
  host: ToolHost,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, { readonly answers: ToolMessage[]; readonly usage: Usage }, void> {
  const answers: ToolMessage[] = [];
  let usage = noUsage;
  const counting: ToolHost = {
    ...host,
    run: (call, options) =>
      host
        .run(call, {
          ...options,
          onNested: async (event) => {
            if (event.type === "tool_result" && event.usage) usage = addUsage(usage, event.usage);
            await options.onNested(event);
          },
        })
        .then((result) => {
          if (result.usage) usage = addUsage(usage, result.usage);
          return result;
        }),
  };
  for (const group of groups(calls, host)) {
    // The consumer has handled these when the generator resumes: every call is in the log before it runs.
    for (const { id, name, input } of group) yield { type: "tool_call", id, name, input };
    answers.push(...(yield* runGroup(group, counting, signal)));
  }
  return { answers, usage };
}

async function* runGroup(
  group: readonly ToolCallContent[],
  host: ToolHost,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, ToolMessage[], void> {
  const events = new EventQueue<Delivery>();
  const left = new AbortController();
  const either = AbortSignal.any([signal, left.signal]);
  const results = Promise.all(group.map((call) => runOne(call, host, either, events))).finally(() =>
    events.end(),
  );
  // Failures are bugs: they are thrown when the events are through.
  results.catch(() => undefined);
  let isThrough = false;
  try {
    for await (const { event, onHandled } of events) {
      yield event();
      onHandled?.();
    }
    isThrough = true;
  } finally {
    // A consumer that went away leaves no tool running.
    if (!isThrough) left.abort();
    await results.catch(() => undefined);
  }
  return await results;
}

async function runOne(
  call: ToolCallContent,
  host: ToolHost,
  signal: AbortSignal,
  events: EventQueue<Delivery>,
): Promise<ToolMessage> {
  const { id, name, input } = call;
  let live = new LiveOutput();
  const onUpdate: OnUpdate = (text, cell) => {
    if (cell !== undefined) {
      // Output that waits to be delivered belongs to the cell before.
      live = new LiveOutput();
      events.push({ event: () => ({ type: "tool_update", id, text, cell }) });
      return;
    }
    const current = live;
    // Taken when it is delivered: what was added in the meantime is delivered with it.
    if (current.add(text)) events.push({ event: () => ({ type: "tool_update", id, text: current.take() }) });
  };
  const onNested = async (event: NestedEvent) => {
    const { promise: handled, resolve: onHandled } = Promise.withResolvers<void>();
    events.push({ event: () => event, onHandled });
    // A consumer that went away handles nothing more.
    await untilAborted(handled, signal);
  };
  const notRun = signal.aborted ? interrupted : call.isCutOff ? cutOff : undefined;
  const run = async () => await host.run({ id, name, input }, { signal, onUpdate, onNested });
  const { usage, ...result } = notRun ?? (await run());
  events.push({
    event: () => ({ type: "tool_result", id, name, result, ...(usage === undefined ? {} : { usage }) }),
  });
  return toolMessage(call, result);
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
