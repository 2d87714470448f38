/** `omp` and `omp -p`: picks the headless run, the terminal UI, the line prompt or the tour. */

import type { HeadlessIo, HeadlessOptions } from "../headless/headless.ts";
import type { InteractiveOptions } from "../interactive/run-interactive.ts";
import { errorLine, OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

export interface AgentOptions extends HeadlessOptions, InteractiveOptions {
  /** `-p`. */
  readonly print?: boolean;
}

export interface AgentIo extends HeadlessIo {
  /** stdin and stdout are a terminal. */
  readonly isTerminal: boolean;
}

export async function runAgent(options: AgentOptions, io: AgentIo, invocation: Invocation): Promise<number> {
  if (!options.print && io.isTerminal) return await runAtTerminal(options, io, invocation);
  // Loaded here: the prompt on the screen must not wait for what only a headless run needs.
  const { runHeadless } = await import("../headless/headless.ts");
  const isAsked =
    options.inputFormat === "stream-json" ||
    options.print ||
    options.prompt !== undefined ||
    options.model !== undefined;
  // Text that is piped to a model that there is, is meant for it.
  if (isAsked || (io.stdin !== undefined && (await isModelConfigured(invocation))))
    return await runHeadless(options, io, invocation);
  // No terminal, no prompt and no model: the tour, on the real tools, shows that everything works. It does not wait for stdin.
  io.stderr("omp: no terminal and no prompt, so this is the demo tour (to ask a model: omp -p '<prompt>')\n");
  const { runTour, TOUR_PROMPT } = await import("../headless/tour.ts");
  if (options.outputFormat === "text") return await runTour(options, io, invocation);
  const tour = { ...options, model: "demo", prompt: TOUR_PROMPT, session: { kind: "none" } } as const;
  return await runHeadless(tour, { ...io, stdin: undefined }, invocation);
}

async function runAtTerminal(options: AgentOptions, io: AgentIo, invocation: Invocation): Promise<number> {
  const flag = headlessFlag(options);
  if (flag !== undefined) {
    io.stderr(
      `${errorLine({ operation: "omp", issue: `${flag} can only be used with -p`, code: "USAGE" })}\n`,
    );
    return 2;
  }
  let { session } = options;
  if (session.kind === "pick") {
    const { pickSession } = await import("../interactive/session-picker.ts");
    const picked = await pickSession(io, invocation);
    if (picked === undefined) return 0;
    session = picked;
  }
  if (invocation.env["TERM"] !== "dumb") {
    const { runInteractive } = await import("../interactive/run-interactive.ts");
    return await runInteractive({ ...options, session }, io, invocation);
  }
  if (options.image !== undefined) {
    const issue = "-i needs -p or a full terminal (TERM is dumb)";
    throw new OmpError({ operation: "omp", issue, code: "USAGE" });
  }
  const { runLinePrompt } = await import("../headless/line-prompt.ts");
  const model = options.model ?? (await demoModel(io, invocation));
  return await runLinePrompt({ ...options, session, model }, io, invocation);
}

/** An option that would not hold in a conversation. */
function headlessFlag({ maxTime, maxCost, outputSchema, inputFormat }: AgentOptions): string | undefined {
  if (inputFormat === "stream-json") return "--input-format";
  if (maxTime !== undefined) return "--max-time";
  if (maxCost !== undefined) return "--max-cost";
  return outputSchema === undefined ? undefined : "--output-schema";
}

/** A line prompt without a model falls back to the demo, and says so. */
async function demoModel(io: AgentIo, invocation: Invocation): Promise<"demo" | undefined> {
  if (await isModelConfigured(invocation)) return undefined;
  io.stderr(
    "No model is configured, so this is the built-in demo. To use a model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or another key; see: omp models\n",
  );
  return "demo";
}

async function isModelConfigured(invocation: Invocation): Promise<boolean> {
  const { hasModel } = await import("../app/model-choice.ts");
  try {
    return await hasModel(invocation);
  } catch (error) {
    // Settings that cannot be read are reported when the session is opened.
    if (error instanceof OmpError) return true;
    throw error;
  }
}
