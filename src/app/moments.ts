/**
 * The moments that a session can be taken back to: before each prompt, and before each call that may change something. Keeps the state
 * of files, variables and shell, and writes into the log where it is kept before the call runs.
 */

import type { CheckpointEntry, Moment } from "../history/entry.ts";
import type { SessionLog } from "../history/log.ts";
import { OmpError } from "../protocol/index.ts";
import type { VariableHistory } from "../protocol/time.ts";
import type { SessionFiles } from "./files.ts";
import { type NotCoveredName, notCoveredNames, notCoveredText } from "./not-covered.ts";
import type { ShellMoments } from "./shell-moments.ts";

export interface MomentsParts {
  readonly files: () => SessionFiles;
  readonly variables: VariableHistory | undefined;
  /** The persistent shell over time. */
  readonly shell: ShellMoments;
  /** The log as it is now: a fork has another one. */
  readonly log: () => SessionLog | undefined;
  /** Told what cannot be taken back, each thing once. */
  readonly onNotCovered: ((sentence: string) => void) | undefined;
}

/** Cells that follow each other quickly need not have a checkpoint each. */
const VARIABLES_EVERY_MS = 5_000;

export class SessionMoments {
  readonly #parts: MomentsParts;
  readonly #closing = new AbortController();
  #pending: Promise<void> = Promise.resolve();
  #variablesAt = 0;
  readonly #told = new Set<string>();

  constructor(parts: MomentsParts) {
    this.#parts = parts;
  }

  /** Begins at once, while the model thinks: the first call that changes something waits for it. */
  beforePrompt(): void {
    this.#pending = this.#keep({ hasVariables: true }, this.#closing.signal);
  }

  /** Until the moment of the last prompt is in the log: in front of the next prompt. */
  async settled(): Promise<void> {
    await this.#pending;
  }

  async beforeCall(call: { readonly id: string; readonly name: string }, signal: AbortSignal): Promise<void> {
    await this.#pending;
    const isDue = Date.now() - this.#variablesAt > VARIABLES_EVERY_MS;
    await this.#keep({ call: call.id, hasVariables: call.name === "python" && isDue }, signal);
  }

  /** A prompt after which nothing was changed needs no moment of its own. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#pending;
  }

  async #keep({ call, hasVariables }: Wanted, signal: AbortSignal): Promise<void> {
    const { log } = this.#parts;
    const moment = await this.#look({ call, hasVariables }, signal);
    // Nobody needs it any more.
    if (call === undefined && signal.aborted) return;
    const checkpoint: Omit<CheckpointEntry, "type"> = { ...(call === undefined ? {} : { call }), ...moment };
    try {
      log()?.addCheckpoint(checkpoint);
    } catch (error) {
      // The next entry reports that nothing can be written.
      if (!(error instanceof OmpError)) throw error;
    }
  }

  async #look({ call, hasVariables }: Wanted, signal: AbortSignal): Promise<Moment> {
    const [files, variables, shell] = await Promise.all([
      this.#takeFiles(signal),
      hasVariables ? this.#keepVariables(signal) : undefined,
      call === undefined ? this.#parts.shell.keep() : undefined,
    ]);
    return { ...files, ...variables, ...shell };
  }

  async #takeFiles(signal: AbortSignal): Promise<Pick<Moment, "files">> {
    const files = this.#parts.files();
    if ("off" in files) {
      this.#tell(`Files are not kept for /rewind: ${files.off}.`);
      return {};
    }
    const taken = await files.take(signal);
    if (taken.kind === "kept") {
      this.#tellNotCovered(notCoveredNames(files, [taken.snapshot]));
      return { files: { snapshot: taken.snapshot.id, root: files.root } };
    }
    if (!signal.aborted) this.#tell(`Files are not kept for /rewind: ${taken.reason}.`);
    return {};
  }

  async #keepVariables(signal: AbortSignal): Promise<Pick<Moment, "variables">> {
    try {
      const kept = await this.#parts.variables?.checkpoint(signal);
      if (kept === undefined || kept.kind === "impossible") return {};
      this.#variablesAt = Date.now();
      return { variables: kept.kind === "empty" ? null : kept.checkpoint.id };
    } catch (error) {
      // The session has ended meanwhile.
      if (signal.aborted || error instanceof OmpError) return {};
      throw error;
    }
  }

  #tellNotCovered(all: readonly NotCoveredName[]): void {
    const news = all.filter(({ name }) => this.#isNews(name));
    if (news.length > 0) this.#parts.onNotCovered?.(`/rewind does not cover ${notCoveredText(news)}.`);
  }

  #tell(sentence: string): void {
    if (this.#isNews(sentence)) this.#parts.onNotCovered?.(sentence);
  }

  #isNews(text: string): boolean {
    const isNews = !this.#told.has(text);
    this.#told.add(text);
    return isNews;
  }
}

interface Wanted {
  /** Undefined before a prompt. */
  readonly call?: string | undefined;
  readonly hasVariables: boolean;
}
