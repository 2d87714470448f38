/**
 * Where commands write: named pipes in the shell's private directory, one pair a command. Named pipes, because Bun's own
 * are sockets, which `/dev/stdout` cannot open; a pair a command, because its end-of-file then says that nobody is left
 * who could write, and because late output of a background job can never get into another command's.
 *
 * Order: both are read as soon as they have something, the one that was written first, first. What is written to both
 * within one turn of the event loop comes as one piece a stream; the system keeps no finer order for two pipes.
 */

import { closeSync, constants, openSync, readSync } from "node:fs";
import type { ReadableStreamDefaultReader } from "node:stream/web";
import { systemCode } from "../protocol/index.ts";
import { ShellError } from "./errors.ts";

const nothing = new Uint8Array();

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
    const note = () => {
      this.#lastAt = performance.now();
    };
    this.#readers = [
      new Pipe(this.stdout, (chunk) => {
        note();
        this.#listener.onStdout(chunk);
      }),
      new Pipe(this.stderr, (chunk) => {
        note();
        this.#listener.onStderr(chunk);
      }),
    ];
    this.ended = Promise.all(this.#readers.map((reader) => reader.ended)).then(() => undefined);
  }

  /** When something last came. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** From here on the end of the last writer is the end of the stream. */
  expectEnd(): void {
    for (const reader of this.#readers) reader.closeWriter();
  }

  /**
   * Reads what is in the pipes at this moment, without waiting for the event loop's turn: on a busy machine that may come late.
   * Says whether something was there, or everything is at its end.
   */
  takeWaiting(): "something" | "nothing" | "end" {
    const found = this.#readers.map((reader) => reader.takeWaiting());
    if (found.includes("something")) return "something";
    return found.every((each) => each === "end") ? "end" : "nothing";
  }

  /** Who hears of it from now on. */
  redirect(listener: OutputListener): void {
    this.#listener = listener;
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.close()));
  }
}

/** As much as a pipe holds, some times over: a job that never stops writing must not hold us here. */
const readBytes = 65_536;
const maxReads = 16;

class Pipe {
  readonly ended: Promise<void>;
  readonly #onChunk: (chunk: Uint8Array) => void;
  #isOver = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #file: number;
  /** Our own end for writing: without it a pipe that nobody has opened yet would look like one at its end. */
  #writer: number | undefined;

  constructor(path: string, onChunk: (chunk: Uint8Array) => void) {
    this.#file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    this.#writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    this.#onChunk = onChunk;
    this.#reader = Bun.file(this.#file).stream().getReader();
    this.ended = this.#pump();
  }

  takeWaiting(): "something" | "nothing" | "end" {
    for (let reads = 0; reads < maxReads; reads += 1) {
      const chunk = this.#isOver ? nothing : this.#read();
      if (chunk === undefined) return reads > 0 ? "something" : "nothing";
      if (chunk.length === 0) return reads > 0 ? "something" : "end";
      this.#onChunk(chunk);
    }
    return "something";
  }

  /** Undefined when nothing is there, empty at the end. */
  #read(): Uint8Array | undefined {
    const buffer = Buffer.allocUnsafe(readBytes);
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

/** The pairs that are free. A pair is used again once its last command's writers are all gone. */
export class PipeNumbers {
  readonly #prefix: string;
  readonly #free: number[] = [];
  #made = 0;

  /** @param prefix of the paths: a directory and the beginning of a name. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  take(): number {
    return this.#free.pop() ?? this.#make();
  }

  giveBack(number: number): void {
    this.#free.push(number);
  }

  /** After somebody removed the directory. */
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
