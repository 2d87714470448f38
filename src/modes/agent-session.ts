/**
 * A conversation, put together: services, model, tools with their approval, session log, agent. Headless runs and the terminal UI
 * both work on it. Every event passes one pump: it is logged first, and then handed on.
 */

import compactInstruction from "../../prompts/compact.md" with { type: "text" };
import { Agent, userMessage } from "../agent/agent.ts";
import { summaryMessage } from "../agent/compaction.ts";
import { nearestName } from "../config/nearest.ts";
import { type AgentEvent, type Message, type Model, OmpError, type Tool } from "../protocol/index.ts";
import { historyOf } from "../session/history.ts";
import type { SessionLog } from "../session/log.ts";
import { readSession } from "../session/read.ts";
import { SessionStore } from "../session/store.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { ModeIo, ModePlace } from "./io.ts";
import { type ApprovalChoice, openServices, type Services } from "./services.ts";
import { sessionPrompt } from "./session-prompt.ts";
import { callTool } from "./tool-call.ts";

export type SessionChoice =
  | { readonly kind: "new" }
  | { readonly kind: "none" }
  | { readonly kind: "continue" }
  | { readonly kind: "resume"; readonly id: string }
  | { readonly kind: "fork"; readonly id: string };

export interface AgentSessionOptions extends ApprovalChoice {
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
  run(prompt: string, signal: AbortSignal): AsyncGenerator<AgentEvent, void, void>;
  /** Returns lines about work that was still running. */
  close(): Promise<readonly string[]>;
}

const defaultTools = [
  "python",
  "bash",
  "bash_output",
  "kill_shell",
  "read",
  "write",
  "edit",
  "grep",
  "find",
  "ls",
];
const STATE_GONE =
  "[This session was resumed: variables of the Python kernel and the state of the shell from before are gone.]";

/** Throws ModelError, SessionError, ConfigError: nothing has been started then. */
export async function openAgentSession(
  options: AgentSessionOptions,
  io: ModeIo,
  place: ModePlace,
): Promise<AgentSession> {
  const services = await openServices(place, io, options);
  try {
    return await assemble(options, services, io, place);
  } catch (error) {
    await services.close();
    throw error;
  }
}

async function assemble(
  options: AgentSessionOptions,
  services: Services,
  io: ModeIo,
  place: ModePlace,
): Promise<AgentSession> {
  const tools = await chooseTools(options, services, io);
  const registry = new ToolRegistry(tools);
  const { log, history } = openLog(options.session, services, place.cwd);
  try {
    const model = await chooseModel(options.model, services, place, log?.id);
    const news = history.length > 0 ? [STATE_GONE] : [];
    const agent = new Agent({
      model,
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      host: {
        concurrency: (name) => registry.get(name)?.concurrency,
        run: (call, { signal, onUpdate }) =>
          callTool(
            { ...services, tools: registry },
            { ...call, signal, onUpdate, dryRun: options.dryRun, onBug: io.stderr },
          ),
      },
      system: await sessionPrompt({ options, services, place, toolNames: registry.names }),
      maxTurns: options.maxTurns,
      compactInstruction,
      history,
      announcements: () => [...news.splice(0), ...services.announcements()],
    });
    return {
      agent,
      model,
      services,
      toolNames: registry.names,
      sessionId: log?.id,
      run: (prompt, signal) => pump(agent.run(userMessage(prompt), signal), log),
      close: async () => {
        log?.close();
        return await services.close();
      },
    };
  } catch (error) {
    log?.close();
    throw error;
  }
}

/** Persist, then deliver: what somebody has seen is in the log, or the log has said that it cannot be written. */
async function* pump(
  events: AsyncIterable<AgentEvent>,
  log: SessionLog | undefined,
): AsyncGenerator<AgentEvent, void, void> {
  let isWritable = true;
  for await (const event of events) {
    try {
      if (isWritable) log?.append(event);
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      isWritable = false;
      yield { type: "error", code: error.code, message: error.message };
    }
    yield event;
  }
}

async function chooseTools(options: AgentSessionOptions, services: Services, io: ModeIo): Promise<Tool[]> {
  const { settings } = services;
  const wanted = options.tools ?? [...defaultTools, ...settings.tools.enable];
  const { mode, degraded, why } = await services.toolMode();
  if (degraded) io.stderr(`${why}\n`);
  return wanted.flatMap((name) => {
    const tool = services.tools.get(name);
    // Switched off by PI_PY or by a Python that does not work: not an error of whoever named it.
    if (name === "python" && mode === "bash-only") return [];
    if (tool) return [tool];
    if (defaultTools.includes(name)) return [];
    const nearest = nearestName(name, services.tools.names);
    const advice = nearest
      ? `; did you mean '${nearest}'?`
      : `; there are ${services.tools.names.join(", ")}`;
    throw new OmpError({ operation: "omp", issue: `unknown tool '${name}'${advice}`, code: "UNKNOWN_TOOL" });
  });
}

async function chooseModel(
  named: string | undefined,
  { settings, paths }: Services,
  { env, cwd }: ModePlace,
  sessionId: string | undefined,
): Promise<Model> {
  const { openModel, defaultModelName, noModelError } = await import("../models/open-model.ts");
  const endpoints = settings.endpoints;
  const name = named ?? settings.model ?? defaultModelName({ env, endpoints });
  if (name === undefined) throw noModelError(paths.settingsFile);
  return await openModel(name, { env, cwd, endpoints, ...(sessionId ? { cacheKey: sessionId } : {}) });
}

function openLog(
  choice: SessionChoice,
  { paths }: Services,
  cwd: string,
): { log: SessionLog | undefined; history: Message[] } {
  if (choice.kind === "none") return { log: undefined, history: [] };
  const store = new SessionStore(paths.sessions);
  const earlier =
    choice.kind === "continue" ? store.newest(cwd) : "id" in choice ? store.find(choice.id) : undefined;
  if (!earlier) return { log: store.create(cwd), history: [] };
  const log = choice.kind === "fork" ? store.fork(earlier) : store.resume(earlier);
  return { log, history: historyOf(readSession(log.path).entries, summaryMessage) };
}
