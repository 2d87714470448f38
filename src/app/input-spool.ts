/**
 * Piped input, read to its end: what is small and text stays in memory, everything else goes to a private file as it arrives. So
 * a pipe of any size takes a fixed amount of memory.
 */

import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { onAbort } from "../async/abort.ts";
import { formatSize } from "../format/numbers.ts";
import { isAlive } from "../process/identity.ts";
import { attempt, OmpError, systemCode } from "../protocol/index.ts";
import { MAX_PROMPT_BYTES } from "./input-limit.ts";
import { type DataFacts, StreamSampler } from "./input-sample.ts";
import { unreadable } from "./lines.ts";

/** After this the user may wonder what omp is waiting for. */
const WARN_AFTER_MS = 3_000;
const PROGRESS_MS = 5_000;

/** A file that is still nobody's: whoever takes it over renames it. */
export interface Spooled {
  readonly path: string;
  readonly facts: DataFacts;
  /** Removes it, unless somebody has taken it over. */
  discard(): void;
}

export interface SpoolOptions {
  /** Where the file is made. */
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Gets lines about what takes long. */
  readonly warn: (line: string) => void;
}

/** Undefined when aborted: nothing is left then. Throws OmpError when stdin cannot be read, or the disk cannot take it. */
export async function spoolInput(
  stream: ReadableStream<Uint8Array>,
  { directory, signal, warn }: SpoolOptions,
): Promise<{ readonly text: string } | Spooled | undefined> {
  const sampler = new StreamSampler();
  const file = new SpoolFile(directory);
  const stopTelling = tellProgress(sampler, warn);
  let held: Uint8Array[] = [];
  let isKept = false;
  try {
    for await (const piece of pieces(stream, signal)) {
      sampler.take(piece);
      if (sampler.bytes <= MAX_PROMPT_BYTES) {
        // A copy: a reader may use its buffer again.
        held.push(piece.slice());
        continue;
      }
      for (const earlier of held) file.write(earlier);
      held = [];
      file.write(piece);
    }
    if (signal.aborted) return undefined;
    const { facts } = sampler;
    if (sampler.bytes <= MAX_PROMPT_BYTES) {
      const whole = Buffer.concat(held);
      // Also drops a byte order mark.
      if (facts.encoding !== undefined) return { text: new TextDecoder(facts.encoding).decode(whole) };
      file.write(whole);
    }
    isKept = true;
    const { path } = file;
    return { path, facts, discard: () => rmSync(path, { force: true }) };
  } finally {
    stopTelling();
    file.close({ isKept });
  }
}

async function* pieces(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = await Promise.try(() => stream.getReader()).catch(unreadable);
  const stopListening = onAbort(signal, () => void reader.cancel().catch(() => undefined));
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read().catch(unreadable);
      if (done || signal.aborted) break;
      yield value;
    }
  } finally {
    stopListening();
    await reader.cancel().catch(() => undefined);
  }
}

/** @returns what ends it. */
function tellProgress(sampler: StreamSampler, warn: (line: string) => void): () => void {
  let told = -1;
  const tell = () => {
    const isWaiting = sampler.bytes === told || sampler.bytes === 0;
    if (isWaiting && told !== -1) return;
    told = sampler.bytes;
    warn(
      isWaiting
        ? "omp: waiting for the end of stdin (use < /dev/null if there is no input)"
        : `omp: reading stdin: ${formatSize(told)} so far`,
    );
  };
  let repeated: ReturnType<typeof setInterval> | undefined;
  const first = setTimeout(() => {
    tell();
    repeated = setInterval(tell, PROGRESS_MS);
  }, WARN_AFTER_MS);
  return () => {
    clearTimeout(first);
    clearInterval(repeated);
  };
}

const INCOMING = /^incoming-(\d+)-/;

class SpoolFile {
  readonly path: string;
  readonly #directory: string;
  #file: number | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, `incoming-${process.pid}-${crypto.randomUUID()}`);
  }

  /** Throws OmpError. */
  write(bytes: Uint8Array): void {
    try {
      this.#file ??= this.#open();
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      throw unwritableError(this.#directory, error);
    }
  }

  close({ isKept }: { readonly isKept: boolean }): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    if (!isKept) rmSync(this.path, { force: true });
  }

  #open(): number {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    removeStale(this.#directory);
    return openSync(this.path, "wx", 0o600);
  }
}

/** What an omp that was killed had read. */
function removeStale(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = Number(INCOMING.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) attempt(() => rmSync(join(directory, name), { force: true }));
  }
}

/** The disk cannot take an input: the run fails, and not the way it was called. */
class InputError extends OmpError {
  readonly kind = "unwritable";
}

export function unwritableError(directory: string, error: unknown): OmpError {
  const code = systemCode(error);
  if (code === undefined || error instanceof OmpError) throw error;
  const issue =
    code === "ENOSPC" || code === "EDQUOT"
      ? `the input does not fit on the disk of '${directory}'; make room there, or set OMP_HOME to another disk`
      : `cannot write the input to '${directory}'`;
  return new InputError({ operation: "omp", issue, code }, { cause: error });
}
