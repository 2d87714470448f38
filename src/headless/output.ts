/** What `omp -p` writes, in each of its three formats. stdout carries the answer or JSON and nothing else. */

import type { AgentSession } from "../app/agent-session.ts";
import type { HeadlessStatus } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import { untilAborted } from "../async/abort.ts";
import { formatWait } from "../format/durations.ts";
import { formatTokens } from "../format/numbers.ts";
import type { AgentEvent, OmpError, Usage } from "../protocol/index.ts";
import { streamEvent } from "./stream-json.ts";

export type OutputFormat = "text" | "json" | "stream-json";

/** How a run ended, even one that never started. */
export interface HeadlessResult {
  readonly status: HeadlessStatus;
  readonly text: string;
  /** The answer reached the model's longest output. */
  readonly isCut?: boolean;
  readonly isEmpty?: boolean;
  readonly turns: number;
  readonly usage: Usage;
  readonly sessionId: string | undefined;
}

const unanswered: readonly HeadlessStatus[] = ["failed", "interrupted", "cost_limit", "time_limit"];

/** What a model said before its run failed or was stopped is not an answer. */
export function isAnswered({ status }: HeadlessResult): boolean {
  return !unanswered.includes(status);
}

export class HeadlessOutput {
  readonly #format: OutputFormat;
  readonly #io: CommandIo;
  #lastError: { readonly code: string; readonly message: string } | undefined;
  #hasResult = false;

  constructor(format: OutputFormat, io: CommandIo) {
    this.#format = format;
    this.#io = io;
  }

  init(session: AgentSession, cwd: string): void {
    if (this.#format === "stream-json") this.#line(streamEvent.init(session, cwd));
  }

  event(event: AgentEvent): void {
    if (event.type === "error") this.#lastError = event;
    const line = diagnosis(event);
    if (line !== undefined) this.#io.stderr(`${line}\n`);
    if (this.#format === "stream-json") for (const each of streamEvent.of(event)) this.#line(each);
  }

  /** A reader that is slow makes the stream of events wait, though not the tools; one that is stuck cannot hold up an abort. */
  async caughtUp(signal: AbortSignal): Promise<void> {
    const room = this.#io.room?.();
    if (room !== undefined) await untilAborted(room, signal);
  }

  /** Something went wrong outside the run. */
  failure({ code, message }: Pick<OmpError, "code" | "message">): void {
    this.event({ type: "error", code, message });
  }

  /** The next prompt of a conversation: it has a result of its own. */
  begin(): void {
    this.#hasResult = false;
    this.#lastError = undefined;
  }

  /** The first one counts: nothing follows it. */
  result(result: HeadlessResult): void {
    if (this.#hasResult) return;
    this.#hasResult = true;
    if (this.#format !== "text") this.#line(streamEvent.result(result, this.#lastError));
    else if (isAnswered(result) && result.text !== "")
      this.#io.stdout(result.text.endsWith("\n") ? result.text : `${result.text}\n`);
  }

  #line(value: object): void {
    this.#io.stdout(`${JSON.stringify(value)}\n`);
  }
}

/** A line on stderr for what the user should know whatever the format is. */
function diagnosis(event: AgentEvent): string | undefined {
  if (event.type === "error") return event.message;
  if (event.type === "notice") return `omp: ${event.text}`;
  if (event.type === "compacted")
    return `omp: the conversation (${formatTokens(event.tokensBefore)} tokens) was replaced by a summary; your messages and the latest ones are kept`;
  // Scripts hear of it in the stream; a person should know why nothing happens.
  if (event.type === "retry" && process.stderr.isTTY)
    return `omp: retrying in ${formatWait(event.delayMs)}: ${event.reason}`;
  return undefined;
}
