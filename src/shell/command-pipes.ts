/**
 * Where commands write: named pipes in the shell's private directory, one pair per command. Named pipes, because Bun's own
 * are sockets, which `/dev/stdout` cannot open; a pair per command, because its end-of-file then says that no writer is
 * left, and because late output of a background job can never get into another command's.
 *
 * Order: both are read as soon as they have something, the one that was written first, first. What is written to both
 * within one turn of the event loop arrives as one chunk per stream; the system keeps no finer order for two pipes.
 */

import { closeSync, constants, openSync, readSync } from "node:fs";
import type { ReadableStreamDefaultReader } from "node:stream/web";
import { within } from "../async/within.ts";
import { systemCode } from "../protocol/index.ts";
import { ShellError } from "./errors.ts";

const emptyChunk = new Uint8Array();

/** How long output is waited for after a command's end while something still holds its pipes: this long without any … */
const QUIET_MS = 60;
/** … this long in all, and this long until an end of the pipes is noticed. */
const [OUTPUT_GRACE_MS, END_MS] = [300, 100];

export interface OutputListener {
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onStderr: (chunk: Uint8Array) => void;
}

export class CommandPipes {
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams are at their end; rejects when a listener throws. */
  readonly ended: Promise<void>;
  #listener: OutputListener;
  #lastAt = 0;
  readonly #readers: readonly Pipe[];

  constructor(base: string, listener: OutputListener) {
    this.stdout = `${base}.out`;
    this.stderr = `${base}.err`;
    this.#listener = listener;
    const pipe = (path: string, stream: keyof OutputListener) =>
      new Pipe(path, (chunk) => {
        this.#lastAt = performance.now();
        this.#listener[stream](chunk);
      });
    this.#readers = [pipe(this.stdout, "onStdout"), pipe(this.stderr, "onStderr")];
    this.ended = Promise.all(this.#readers.map((reader) => reader.ended)).then(() => undefined);
  }

  /** From now on the end of the last writer is the end of the stream. */
  expectEnd(): void {
    for (const reader of this.#readers) reader.closeWriter();
  }

  /**
   * Reads what is in the pipes at this moment, without waiting for the event loop, which may be late on a busy machine.
   * @returns whether there was something, or both streams are at their end.
   */
  takeWaiting(): "something" | "nothing" | "end" {
    const found = this.#readers.map((reader) => reader.takeWaiting());
    if (found.includes("something")) return "something";
    return found.every((each) => each === "end") ? "end" : "nothing";
  }

  /**
   * Waits for the output that is still on its way after a command's end.
   * @param isBehind whether a process of the command is ready to run on a busy machine: then its silence means nothing.
   * @returns whether both streams are at their end; if not, something still holds the pipes.
   */
  async settle(isBehind: () => boolean): Promise<boolean> {
    this.expectEnd();
    const start = performance.now();
    for (;;) {
      const now = performance.now();
      const wait = Math.min(Math.max(this.#lastAt, start) + QUIET_MS, start + OUTPUT_GRACE_MS) - now;
      // First the processes, then the pipes: a process that has ended in between has written before.
      const mayEnd = wait <= 0 && (now - start > OUTPUT_GRACE_MS || !isBehind());
      if (mayEnd && (this.takeWaiting() === "nothing" || now - start > OUTPUT_GRACE_MS + END_MS))
        return false;
      if (await within(this.ended, wait > 0 ? wait : END_MS)) return true;
    }
  }

  /** Sends what arrives from now on to another listener. */
  redirect(listener: OutputListener): void {
    this.#listener = listener;
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.close()));
  }
}

/** As much as a pipe holds, several times: a job that never stops writing must not keep us here. */
const READ_BYTES = 65_536;
const MAX_READS = 16;

/** A program can write the directory, too: a link in place of a pipe would show it what only omp may read. */
const OPEN_FLAGS = constants.O_NONBLOCK | constants.O_NOFOLLOW;

class Pipe {
  readonly ended: Promise<void>;
  readonly #onChunk: (chunk: Uint8Array) => void;
  #isOver = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #file: number;
  /** Our own end for writing: without it a pipe that no program has opened yet would look like one at its end. */
  #writer: number | undefined;

  constructor(path: string, onChunk: (chunk: Uint8Array) => void) {
    this.#file = openSync(path, constants.O_RDONLY | OPEN_FLAGS);
    this.#writer = openSync(path, constants.O_WRONLY | OPEN_FLAGS);
    this.#onChunk = onChunk;
    this.#reader = Bun.file(this.#file).stream().getReader();
    this.ended = this.#pump();
  }

  takeWaiting(): "something" | "nothing" | "end" {
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const chunk = this.#isOver ? emptyChunk : this.#read();
      if (chunk === undefined) return reads > 0 ? "something" : "nothing";
      if (chunk.length === 0) return reads > 0 ? "something" : "end";
      this.#onChunk(chunk);
    }
    return "something";
  }

  /** Undefined when nothing is there, empty at the end. */
  #read(): Uint8Array | undefined {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    try {
      return buffer.subarray(0, readSync(this.#file, buffer));
    } catch (error) {
      if (systemCode(error) === "EAGAIN") return undefined;
      throw error;
    }
  }

  closeWriter(): void {
    if (this.#writer === undefined) return;
    closeSync(this.#writer);
    this.#writer = undefined;
  }

  async close(): Promise<void> {
    this.closeWriter();
    await this.#reader.cancel();
  }

  async #pump(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) return;
        this.#onChunk(value);
      }
    } finally {
      this.#isOver = true;
      this.closeWriter();
      closeSync(this.#file);
    }
  }
}

/** Characters of late output. */
const KEPT_CHARS = 4000;

/** What background jobs of earlier commands write: read, so that a full pipe never stops them, and only the end is kept. */
export class LateOutput {
  readonly #pipes = new Set<CommandPipes>();
  #text = "";
  #bytes = 0;
  readonly #decoder = new TextDecoder();

  /** Listens to the pipes of a command that has ended. Resolves when its last writer has ended, too. */
  async follow(pipes: CommandPipes): Promise<void> {
    const listener = (chunk: Uint8Array) => this.#add(chunk);
    pipes.redirect({ onStdout: listener, onStderr: listener });
    this.#pipes.add(pipes);
    await pipes.ended;
    this.#pipes.delete(pipes);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pipes].map((pipes) => pipes.close()));
  }

  /** What was written since the last call, including what the event loop has not read yet; undefined when nothing was. */
  take(): { readonly text: string; readonly bytes: number } | undefined {
    for (const pipes of this.#pipes) pipes.takeWaiting();
    if (this.#bytes === 0) return undefined;
    const taken = { text: this.#text, bytes: this.#bytes };
    this.#text = "";
    this.#bytes = 0;
    return taken;
  }

  #add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    // Only the end is kept, so only the end need be decoded.
    this.#text += this.#decoder.decode(chunk.subarray(-KEPT_CHARS), { stream: true });
    if (this.#text.length > KEPT_CHARS) this.#text = this.#text.slice(-KEPT_CHARS);
  }
}

/** The numbers of free pairs of pipes. A pair is used again once all writers of its last command are gone. */
export class PipeNumbers {
  readonly #prefix: string;
  readonly #free: number[] = [];
  #made = 0;

  /** @param prefix of the paths: a directory and the start of a name. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  take(): number {
    return this.#free.pop() ?? this.#make();
  }

  giveBack(number: number): void {
    this.#free.push(number);
  }

  /** After the directory was removed. */
  forget(): void {
    this.#free.length = 0;
  }

  base(number: number): string {
    return `${this.#prefix}${number}`;
  }

  #make(): number {
    const number = this.#made;
    this.#made += 1;
    const base = this.base(number);
    const made = Bun.spawnSync(["mkfifo", "-m", "600", `${base}.out`, `${base}.err`], {
      env: { PATH: "/usr/bin:/bin" },
    });
    if (made.success) return number;
    const issue = `named pipes could not be made at '${base}': ${made.stderr.toString().trim()}`;
    throw new ShellError("failed", { issue, code: "PIPE" });
  }
}
