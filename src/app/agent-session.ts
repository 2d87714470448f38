/**
 * A conversation, put together: services, model, tools with their approval, session log, agent. Headless runs and the terminal UI
 * both work on it. Every event passes one pump: it is logged first, then delivered.
 */

import compactInstruction from "../../prompts/compact.md" with { type: "text" };
import { Agent } from "../agent/agent.ts";
import type { Announced } from "../agent/inbox.ts";
import { noticeMessage, summaryMessage } from "../agent/messages.ts";
import type { LoggedEvent } from "../history/entry.ts";
import { historyOf } from "../history/history.ts";
import { readSession } from "../history/read.ts";
import {
  type AgentEvent,
  type Effort,
  type Model,
  OmpError,
  type ToolCallContent,
  type ToolResult,
  type UserMessage,
} from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { AgentChoice, AgentRun } from "./agent-task.ts";
import { Announcements } from "./announcements.ts";
import { pump } from "./event-pump.ts";
import { InputMessages } from "./input-messages.ts";
import type { CommandIo } from "./io.ts";
import { chooseModel } from "./model-choice.ts";
import type { MoveOptions } from "./move-kernel.ts";
import { needsPreparing, prepareMessage } from "./prepare-message.ts";
import type { SandboxSetting } from "./sandbox.ts";
import { openServices, type Services } from "./services.ts";
import { type ChosenSession, forkLog, openChosenSession } from "./session-choice.ts";
import type { AgentSessionOptions } from "./session-options.ts";
import { openRewind } from "./session-rewind.ts";
import { SessionTools } from "./session-tools.ts";
import { findVariables, type KeepParts, keepAtEnd, noticeOf, variablesFacts } from "./session-variables.ts";
import { type AgentParent, checkTask, subagentOptions } from "./subagent-options.ts";
import { Subagents } from "./subagents.ts";
import { callTool } from "./tool-call.ts";
import { WarmUp } from "./warm-up.ts";

export type { SessionChoice } from "./session-choice.ts";
export type { AgentSessionOptions } from "./session-options.ts";

export type AgentSession = Awaited<ReturnType<typeof assemble>>;

/** Throws ModelError, SessionError, ConfigError: nothing has been started then. */
export async function openAgentSession(
  options: AgentSessionOptions,
  io: CommandIo,
  invocation: Invocation,
): Promise<AgentSession> {
  const services = await openServices(invocation, io, options);
  let chosen: ChosenSession | undefined;
  try {
    chosen = openChosenSession(options.session, services.workspace.paths, invocation.cwd);
    return await assemble(options, services, chosen, io);
  } catch (error) {
    chosen?.log?.close();
    await services.close();
    throw error;
  }
}

async function assemble(
  options: AgentSessionOptions,
  services: Services,
  chosen: ChosenSession,
  io: CommandIo,
) {
  const { workspace } = services;
  const warn = (line: string) => io.stderr(`${line}\n`);
  const { history, entries } = chosen;
  let { log } = chosen;
  let { effort } = options;
  // A subagent has its parent's.
  if (log && !options.shared) services.inputs.belongTo(log.id, chosen.copyOf);
  if (chosen.note !== undefined) warn(chosen.note);
  // Before Python is checked: the provider's package loads meanwhile.
  let model =
    options.model === undefined && options.inherited
      ? options.inherited
      : await chooseModel(options.model, workspace, log?.id);
  if (effort !== undefined && !model.facts.takesEffort)
    warn(`omp: ${model.facts.name} does not support reasoning effort; --effort is ignored`);
  /** A model by its name, the session's own without one. Throws ModelError. */
  const openModel = async (name?: string) =>
    name === undefined ? model : await chooseModel(name, workspace, log?.id);
  const tools = await SessionTools.open(options, services, warn);
  services.mcp?.start();
  const found = await findVariables(chosen, services);
  if ("kept" in found) services.python.restore(found.kept);
  const notice = noticeOf(chosen, services, { found, toolNames: tools.registry.names });
  const pending = notice === undefined ? [] : [noticeMessage("resumed", notice)];
  const asParent = (): AgentParent => ({
    options: { ...options, effort },
    services,
    ...{ toolNames: tools.registry.names, model, sessionId: log?.id, warn },
  });
  const openAgent = async (choice: AgentChoice): Promise<AgentRun> => {
    const stderr = (text: string) => choice.say(text.trimEnd());
    const child = await openAgentSession(subagentOptions(choice, asParent()), { ...io, stderr }, workspace);
    return { ...child, modelName: child.model.facts.name };
  };
  const write = (...events: readonly LoggedEvent[]) => {
    try {
      for (const event of events) log?.append(event);
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      warn(error.message);
    }
  };
  /** Kept at once, also if the model is never asked. Not while the model works. */
  const keep = (event: Announced) => {
    agent.add(event.message);
    write(event);
  };
  const announcements = new Announcements((announced) => {
    keep(announced);
    options.agentEvents?.onAnnounced(announced);
  });
  const subagents = new Subagents({
    parent: options.asker,
    limits: workspace.settings.bridge,
    check: (task) => checkTask(task, asParent()),
    open: openAgent,
    onEnd: announcements.add,
    onChange: options.agentEvents?.onChange,
  });
  const warmUp = new WarmUp({
    services,
    toolNames: () => tools.registry.names,
    options,
    history: () => agent.history,
  });
  const agent: Agent = new Agent({
    model,
    onCallBegun: (name) => warmUp.named(name),
    get tools() {
      return tools.descriptions;
    },
    get system() {
      return tools.system;
    },
    get effort() {
      return effort;
    },
    host: {
      concurrency: (name) => tools.registry.get(name)?.concurrency,
      run: (call, runOptions) =>
        callTool(
          { ...services, tools: tools.registry },
          {
            ...call,
            ...runOptions,
            openModel,
            agents: subagents,
            nesting: { depth: options.depth ?? 0 },
            dryRun: options.dryRun ?? false,
            onBug: io.stderr,
          },
        ),
    },
    maxTurns: options.maxTurns,
    compactInstruction,
    history,
    announcements: () => [
      ...[
        ...pending.splice(0),
        ...services.shells.takeAnnouncements().map((notice) => noticeMessage("announcement", notice)),
      ].map((message) => ({ type: "user" as const, message })),
      ...announcements.take(),
    ],
    background: options.waitsForAgents === true ? subagents : undefined,
  });
  const inputs = new InputMessages(services, () => tools.registry.names);
  return {
    agent,
    get model() {
      return model;
    },
    services,
    get tools() {
      return tools.registry;
    },
    get toolNames() {
      return tools.registry.names;
    },
    /** What the model is told of: not the tools that only cells call. */
    get offered() {
      return tools.descriptions;
    },
    summaryOf: (name: string, input: unknown) => tools.summaryOf(name, input),
    subagents,
    /** For what is too large for a prompt. */
    inputs,
    /** Undefined when no log is kept. */
    get sessionId() {
      return log?.id;
    },
    /** When the conversation began, also if that was in an earlier run. */
    startedAt: Date.parse(entries[0]?.at ?? new Date().toISOString()),
    /** The files whose instructions the model is given, such as AGENTS.md. */
    contextPaths: tools.contextPaths,
    /** The log of a resumed session until now. */
    earlier: entries,
    /** What a resumed session has of its Python variables. */
    variables: variablesFacts(found),
    async *run(prompt: UserMessage, signal: AbortSignal): AsyncGenerator<AgentEvent, void, void> {
      pending.push(...(await tools.refresh(signal)));
      const { current: moments } = services.moments;
      yield* warmUp.during(announcements.during(pump(agent.run(prompt, signal), log, moments)));
    },
    /** Whether a text calls a prompt of an MCP server, or names its resources. */
    needsPreparing: (text: string) => needsPreparing(text, services),
    /** The message with what its text stands for. Throws OmpError, in one line. */
    prepare: (text: string, message: UserMessage, signal: AbortSignal) =>
      prepareMessage(text, message, { mcp: services.mcp, inputs }, signal),
    /** Waits until every MCP server has answered or failed. */
    ready: async (signal: AbortSignal) => await services.mcp?.ready(signal),
    /** What the user did, while nothing runs: kept at once, also if the model is never asked. */
    add: (message: UserMessage) => keep({ type: "user", message }),
    /** What the user did without the model: kept for the transcript only. */
    addPrivate: (call: Pick<ToolCallContent, "name" | "input">, { images: _, ...result }: ToolResult) => {
      const id = `private-${crypto.randomUUID()}`;
      write(
        { type: "tool_call", id, ...call, by: "private" },
        { type: "tool_result", id, name: call.name, result },
      );
    },
    /** Replaces the conversation so far by a summary. */
    compact: (signal: AbortSignal) => announcements.during(pump(agent.compact(signal), log)),
    openModel,
    listProviders: async () => {
      const { listProviders } = await import("../models/list-providers.ts");
      return await listProviders(workspace.env, workspace.settings.endpoints);
    },
    /** From the next turn on. */
    switchModel: (next: Model) => {
      model = next;
      agent.switchModel(next);
    },
    get effort() {
      return effort;
    },
    /** From the next turn on. Undefined: as the model's provider has it. */
    switchEffort: (next: Effort | undefined) => {
      effort = next;
    },
    /** Kernel and shells start again in it. Throws SandboxError. @returns lines about work that was still running. */
    switchSandbox: async (mode: SandboxSetting) => {
      const left = await services.switchSandbox(mode);
      await tools.describeAgain();
      return left;
    },
    /** Throws KernelError: then nothing has changed. @returns what came along; undefined when there was nothing. */
    moveKernel: async (place: string, moving: MoveOptions) => {
      const { moveKernel } = await import("./move-kernel.ts");
      const moved = await moveKernel(services, place, moving);
      await tools.describeAgain();
      return moved;
    },
    /**
     * Continues in a copy of the session, of its first entries if `keep` is given; the session until now is closed as it is. Kernel,
     * shell and files stay as they are. Throws SessionError.
     * @returns the id of the session until now; undefined when nothing is kept, or there is nothing to copy.
     */
    fork: (keep?: number) => {
      if (log === undefined || agent.history.length === 0) return undefined;
      const before = log;
      log = forkLog(before.id, workspace.paths, workspace.cwd, keep);
      services.inputs.continueIn(log.id);
      before.close();
      if (keep !== undefined) agent.replaceHistory(historyOf(readSession(log.path).entries, summaryMessage));
      return before.id;
    },
    /** What the log has by now; undefined when none is kept. */
    entries: () => log && readSession(log.path).entries,
    /** The way back, of everything. */
    rewind: openRewind({ agent, services, options, log: () => log }),
    /** How to resume the session; undefined when nothing was said, or no log is kept. */
    get resumeHint() {
      if (log === undefined || agent.history.length === 0) return undefined;
      return `Resume with: omp --resume ${log.id}`;
    },
    /** @returns lines about work that was still running, and variables that were not kept. */
    close: async (waiting: Pick<KeepParts, "skip" | "onSlow"> = { skip: undefined }) => {
      warmUp.close();
      const left = await subagents.close();
      await services.moments.current?.close();
      // A subagent is not resumed.
      const notKept = options.shared ? [] : await keepAtEnd({ ...waiting, ...services, log });
      log?.close();
      return [...left, ...notKept, ...(await services.close())];
    },
  };
}
