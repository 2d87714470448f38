/** One call of a tool, whoever makes it, with the bridge for the calls of its own code; and how its result is written. */

import { CallBridge } from "../bridge/call-bridge.ts";
import type { CellAgents } from "../bridge/cell-agents.ts";
import { Spending } from "../bridge/limits.ts";
import {
  type AgentTask,
  type Bridge,
  type BridgeOptions,
  type Model,
  type NestedEvent,
  OmpError,
  type OnUpdate,
  type ToolContext,
  type ToolResult,
} from "../protocol/index.ts";
import { errorResult } from "../tools/tool-error.ts";
import { answerBranches } from "./cell-branches.ts";
import { chooseModel } from "./model-choice.ts";
import type { Services } from "./services.ts";

export interface ToolCall {
  /** Nested calls name their parent by it; not needed where nobody listens to them. */
  readonly id?: string;
  readonly name: string;
  readonly input: unknown;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Output as it streams. */
  readonly onUpdate: OnUpdate;
  /** Typed by the user. */
  readonly isUsersOwn?: boolean;
  /** For `input()` in the user's own code. */
  readonly readLine?: ToolContext["readLine"];
  readonly onBug: (report: string) => void;
  /** The calls that its code makes; resolves when they are in the log. */
  readonly onNested?: ((event: NestedEvent) => Promise<void>) | undefined;
  /** For code that asks a model; the settings' own where it is not given. */
  readonly openModel?: ((name: string | undefined) => Promise<Model>) | undefined;
  /** Absent where there is no conversation. */
  readonly agents?: SessionAgents | undefined;
  /** Of a nested call, and of a subagent's. */
  readonly nesting?: Nesting;
}

export interface AgentCall extends Pick<ToolContext, "signal" | "onUpdate"> {
  /** How deep the subagent is: 1 where the user's own model starts it. */
  readonly depth: number;
  /** The call that starts it. */
  readonly callId?: string | undefined;
  /** A cell gets a handle for its end. */
  readonly hasHandle?: boolean;
  /** Of the code that starts it. */
  readonly spending?: Spending | undefined;
}

/** The subagents of the session that a call belongs to. */
export interface SessionAgents extends Pick<CellAgents, "find"> {
  /** Throws OmpError when it cannot be started. */
  run(task: AgentTask, call: AgentCall): Promise<ToolResult>;
}

interface Nesting extends Pick<ToolContext, "waitingKernels" | "holdTime"> {
  /** 1 for the calls of code that the model, or a user, runs. */
  readonly depth: number;
  /** Undefined until code asks for something. */
  readonly spending?: Spending;
}

/** A bug in a tool fails only its own call: the rest of a batch still runs, and the stack is shown. */
export async function callTool(services: Services, call: ToolCall): Promise<ToolResult> {
  const { id: callId, name, input, signal, onUpdate, isUsersOwn, readLine, agents } = call;
  const depth = (call.nesting?.depth ?? 0) + 1;
  const spending = call.nesting?.spending;
  const context: ToolContext = {
    ...services.context,
    signal,
    onUpdate,
    isUsersOwn,
    readLine,
    openBridge: (options) => openBridge(services, call, options),
    runAgent: agents && ((task) => agents.run(task, { depth, signal, onUpdate, callId, spending })),
    // The calls of a call's own code are taken back with it.
    beforeChange: call.nesting?.waitingKernels === undefined ? () => keepMoment(services, call) : undefined,
    waitingKernels: call.nesting?.waitingKernels,
    holdTime: call.nesting?.holdTime,
  };
  try {
    return call.dryRun
      ? await services.tools.rehearse(name, input, context)
      : await services.tools.run(name, input, context);
  } catch (error) {
    const bug = error instanceof Error ? error : new Error(String(error));
    call.onBug(`${bug.stack ?? bug.message}\n`);
    const { message } = new OmpError({
      operation: name,
      issue: `unexpected: ${bug.message}`,
      code: "INTERNAL",
    });
    return { isError: true, output: message, details: { code: "INTERNAL" } };
  }
}

async function keepMoment({ moments }: Services, { id, name, signal }: ToolCall): Promise<void> {
  await moments.current?.beforeCall({ id: id ?? "call", name }, signal);
}

function openBridge(services: Services, call: ToolCall, options: BridgeOptions): Bridge {
  const { onNested = async () => undefined, nesting = { depth: 0 }, agents } = call;
  const limits = services.workspace.settings.bridge;
  const depth = nesting.depth + 1;
  const { holdTime } = options;
  const { spending = new Spending(limits.maxCostUsd) } = nesting;
  const waitingKernels = [...(nesting.waitingKernels ?? []), options.kernel];
  const run = (nested: Pick<ToolCall, "id" | "name" | "input" | "signal">) =>
    callTool(services, {
      ...call,
      ...nested,
      onUpdate: () => undefined,
      nesting: { depth, waitingKernels, holdTime, spending },
    });
  return new CallBridge(
    {
      parent: call.id ?? "call",
      depth,
      limits,
      spending,
      concurrency: (name) => services.tools.get(name)?.concurrency,
      run,
      openModel: onceForEach(call.openModel ?? ((name) => chooseModel(name, services.workspace, undefined))),
      agents: agents && {
        find: agents.find,
        run: (task, signal) =>
          runAgent(agents, task, { depth: depth + 1, signal, callId: call.id, hasHandle: true, spending }),
      },
      branches: (request) => {
        const { python, context } = services;
        const { kernel, signal } = options;
        return answerBranches({ python, kernel, signal, own: context.branch }, request);
      },
      inputs: services.inputs,
      onEvent: onNested,
    },
    options,
  );
}

/** What cannot be started is an answer, too. */
async function runAgent(agents: SessionAgents, task: AgentTask, call: Omit<AgentCall, "onUpdate">) {
  try {
    return await agents.run(task, { ...call, onUpdate: () => undefined });
  } catch (error) {
    if (error instanceof OmpError) return errorResult(error);
    throw error;
  }
}

/** A loop asks the same model again and again. */
function onceForEach<Key, Value>(make: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const made = new Map<Key, Promise<Value>>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** Scripts rely on these names. */
export function resultFields(result: ToolResult) {
  return { is_error: result.isError, output: result.output, details: result.details };
}
