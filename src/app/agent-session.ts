/**
 * A conversation, put together: services, model, tools with their approval, session log, agent. Headless runs and the terminal UI
 * both work on it. Every event passes one pump: it is logged first, and then handed on.
 */

import compactInstruction from "../../prompts/compact.md" with { type: "text" };
import { Agent } from "../agent/agent.ts";
import { noticeMessage } from "../agent/messages.ts";
import { isLogged, type SessionEntry } from "../history/entry.ts";
import type { SessionLog } from "../history/log.ts";
import {
  type AgentEvent,
  type Model,
  OmpError,
  type ToolDescription,
  type UserMessage,
} from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { CommandIo } from "./io.ts";
import { openServices, type Services, type ServicesChoice } from "./services.ts";
import {
  type ChosenSession,
  forkedLog,
  openChosenSession,
  resumedNews,
  type SessionChoice,
} from "./session-choice.ts";
import { sessionPrompt } from "./session-prompt.ts";
import { callTool } from "./tool-call.ts";
import { chooseTools } from "./tool-choice.ts";
import { promptFor } from "./tool-prompts.ts";

export type { SessionChoice } from "./session-choice.ts";

export interface AgentSessionOptions extends ServicesChoice {
  /** `provider/id`; the default one when not named. */
  readonly model: string | undefined;
  readonly session: SessionChoice;
  /** Exactly these tools; the default ones when not named. */
  readonly tools: readonly string[] | undefined;
  readonly dryRun: boolean;
  readonly maxTurns: number;
  readonly systemPrompt: string | undefined;
  readonly appendSystemPrompt: string | undefined;
}

export interface AgentSession {
  readonly agent: Agent;
  readonly model: Model;
  readonly services: Services;
  readonly toolNames: readonly string[];
  /** Undefined when nothing is kept. */
  readonly sessionId: string | undefined;
  /** What a resumed session held before. */
  readonly earlier: readonly SessionEntry[];
  run(prompt: UserMessage, signal: AbortSignal): AsyncGenerator<AgentEvent, void, void>;
  /** Replaces the conversation so far by a summary. */
  compact(signal: AbortSignal): AsyncGenerator<AgentEvent, void, void>;
  /** From the next turn on. */
  switchModel(model: Model): void;
  /**
   * Goes on in a copy: what comes goes there, and the session until now stays as it is. Kernel and shell go on as they are.
   * Throws SessionError. @returns the id of the session until now; undefined when nothing is kept, or there is nothing to copy.
   */
  fork(): string | undefined;
  /** Returns lines about work that was still running. */
  close(): Promise<readonly string[]>;
}

/** Throws ModelError, SessionError, ConfigError: nothing has been started then. */
export async function openAgentSession(
  options: AgentSessionOptions,
  io: CommandIo,
  place: Invocation,
): Promise<AgentSession> {
  const services = await openServices(place, io, options);
  let chosen: ChosenSession | undefined;
  try {
    chosen = openChosenSession(options.session, services.workspace.paths.sessions, place.cwd);
    return await assemble(options, services, chosen, io, place);
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
  place: Invocation,
): Promise<AgentSession> {
  const warn = (line: string) => io.stderr(`${line}\n`);
  const { history, entries, earlierCwd } = chosen;
  let { log } = chosen;
  if (chosen.note !== undefined) warn(chosen.note);
  // Before Python is looked at: the provider's package loads meanwhile.
  let model = await chooseModel(options.model, services, log?.id);
  const registry = new ToolRegistry(await chooseTools(options.tools, services, warn));
  const { names } = registry;
  const news =
    earlierCwd === undefined || history.length === 0
      ? undefined
      : resumedNews({
          earlierCwd,
          cwd: place.cwd,
          toolNames: names,
          isKernelBorrowed: services.python.host.isBorrowed,
        });
  const pending = news === undefined ? [] : [noticeMessage("resumed", news)];
  const agent = new Agent({
    model,
    tools: described(registry),
    host: {
      concurrency: (name) => registry.get(name)?.concurrency,
      run: (call, { signal, onUpdate }) =>
        callTool(
          { ...services, tools: registry },
          { ...call, signal, onUpdate, dryRun: options.dryRun, onBug: io.stderr },
        ),
    },
    system: await sessionPrompt({ options, services, place, toolNames: names }),
    maxTurns: options.maxTurns,
    compactInstruction,
    history,
    announcements: () => [
      ...pending.splice(0),
      ...services.shells.takeAnnouncements().map((notice) => noticeMessage("announcement", notice)),
    ],
  });
  return {
    agent,
    get model() {
      return model;
    },
    services,
    toolNames: names,
    get sessionId() {
      return log?.id;
    },
    earlier: entries,
    run: (prompt, signal) => pump(agent.run(prompt, signal), log),
    compact: (signal) => pump(agent.compact(signal), log),
    switchModel: (next) => {
      model = next;
      agent.switchModel(next);
    },
    fork: () => {
      if (log === undefined || agent.history.length === 0) return undefined;
      const before = log;
      log = forkedLog(before.id, services.workspace.paths.sessions, place.cwd);
      before.close();
      return before.id;
    },
    close: async () => {
      log?.close();
      return await services.close();
    },
  };
}

function described(registry: ToolRegistry): ToolDescription[] {
  return registry.list().map(({ name, description, inputSchema }) => ({
    name,
    description: promptFor(description, registry.names),
    inputSchema,
  }));
}

/**
 * Persist, then deliver: what somebody has seen is in the log, or they have been told that it cannot be written. They are told
 * once: the log writes what is missing when it can.
 */
async function* pump(
  events: AsyncIterable<AgentEvent>,
  log: SessionLog | undefined,
): AsyncGenerator<AgentEvent, void, void> {
  let isWritable = true;
  for await (const event of events) {
    try {
      log?.append(event);
      if (isLogged(event)) isWritable = true;
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      if (isWritable) yield { type: "error", code: error.code, message: error.message };
      isWritable = false;
    }
    yield event;
  }
}

async function chooseModel(
  named: string | undefined,
  { workspace: { settings, paths, env, cwd } }: Services,
  sessionId: string | undefined,
): Promise<Model> {
  const { openModel, defaultModelName, noModelError } = await import("../models/open-model.ts");
  const endpoints = settings.endpoints;
  const name = named ?? settings.model ?? defaultModelName({ env, endpoints });
  if (name === undefined) throw noModelError(paths.settingsFile);
  return await openModel(name, { env, cwd, endpoints, ...(sessionId ? { cacheKey: sessionId } : {}) });
}
