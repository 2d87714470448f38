/** `omp` and `omp -p`: which of the modes with a model it is. */

import type { HeadlessIo, HeadlessOptions } from "../headless/headless.ts";
import { OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

export interface AgentModeOptions extends HeadlessOptions {
  readonly headless: boolean;
}

export interface AgentModeIo extends HeadlessIo {
  /** A person sits at both ends. */
  readonly isTerminal: boolean;
}

export async function runAgent(
  options: AgentModeOptions,
  io: AgentModeIo,
  place: Invocation,
): Promise<number> {
  if (options.headless) return await runHeadless(options, io, place);
  if (io.isTerminal) return await interactive(options, io, place);
  if (options.prompt !== undefined) return await runHeadless(options, io, place);
  // Nobody to talk to and nothing asked: the tour, on the real tools, shows that everything works. It does not wait for stdin.
  io.stderr("omp: no terminal and no prompt: running the demo tour (-p '<prompt>' asks a model)\n");
  const { runTour, tourPrompt } = await import("../headless/tour.ts");
  if (options.outputFormat === "text") return await runTour(options, io, place);
  const tour = { ...options, model: "demo", prompt: tourPrompt, session: { kind: "none" } } as const;
  return await runHeadless(tour, { ...io, stdin: undefined }, place);
}

/** Loaded here: a prompt on the screen must not wait for what only a headless run needs at once. */
const runHeadless: typeof import("../headless/headless.ts").runHeadless = async (...run) =>
  await (await import("../headless/headless.ts")).runHeadless(...run);

async function interactive(options: AgentModeOptions, io: AgentModeIo, place: Invocation): Promise<number> {
  let { session } = options;
  if (session.kind === "pick") {
    const { pickSession } = await import("../interactive/session-picker.ts");
    const picked = await pickSession(io, place);
    if (picked === undefined) return 0;
    session = picked;
  }
  if (place.env["TERM"] !== "dumb") {
    const { runInteractive } = await import("../interactive/run-interactive.ts");
    return await runInteractive({ ...options, session }, io, place);
  }
  const { runLinePrompt } = await import("../headless/line-prompt.ts");
  return await runLinePrompt(await withModel({ ...options, session }, io, place), io, place);
}

/** A line prompt without a model falls back to the demo, and says so. */
async function withModel(
  options: AgentModeOptions,
  io: AgentModeIo,
  place: Invocation,
): Promise<AgentModeOptions> {
  if (options.model !== undefined) return options;
  const { hasModel } = await import("../app/model-choice.ts");
  // Settings that cannot be read are told when the session is opened.
  if (await hasModel(place).catch(isForPeople)) return options;
  io.stderr(
    "No model is configured: this is the built-in demo. Set ANTHROPIC_API_KEY, OPENAI_API_KEY or another key for a real one; see: omp models\n",
  );
  return { ...options, model: "demo" };
}

function isForPeople(error: unknown): true {
  if (error instanceof OmpError) return true;
  throw error;
}
