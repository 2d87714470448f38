/**
 * One kernel of ours: a process, its sockets, and the conversation over them. Owns everything that it was given at its start
 * and gives it all back when it ends, however it ends.
 */

import { rmSync } from "node:fs";
import { unlessAborted } from "../../async/abort.ts";
import { within } from "../../async/within.ts";
import { killGroup } from "../../process/group.ts";
import { sharedWatchdog } from "../../process/watchdog.ts";
import { KernelError } from "../errors.ts";
import { bootKernel, type KernelPlace } from "../jupyter/boot.ts";
import { Conversation } from "../jupyter/conversation.ts";
import type { TraceLine } from "../jupyter/trace.ts";
import type {
  ExecuteOptions,
  KernelConnectionInfo,
  KernelExit,
  KernelFacts,
  KernelHandle,
  KernelMessage,
  KernelQuestion,
  KernelState,
  MessageContent,
} from "../kernel.ts";
import { Channels } from "./channels.ts";
import { isComplete, readConnectionFile } from "./connection-file.ts";
import type { KernelProcess } from "./kernel-process.ts";

/** A kernel with a live child needs half a minute to shut down by itself; nobody waits that long. */
const SHUTDOWN_GRACE_MS = 1_000;
/** From the first request to the kill: 5 s, which leaves a caller with a limit of 8 s the time to start a new kernel. */
const PATIENCE_MS = 3_000;
const HEARTBEAT_MS = 2_000;
const LAST_OUTPUT_MS = 500;
/** How long a process whose sockets have closed may take to be reaped. */
const REAP_MS = 250;
const PORT_POLL_MS = 5;

export interface LocalKernelParts {
  readonly id: string;
  readonly process: KernelProcess;
  readonly directory: string;
  readonly connectionFile: string;
  readonly connectionInfo: KernelConnectionInfo;
  readonly place: KernelPlace;
  readonly trace: TraceLine | undefined;
}

export class LocalKernel implements KernelHandle {
  readonly id: string;
  readonly exited: Promise<KernelExit>;
  readonly #parts: LocalKernelParts;
  readonly #conversation: Conversation;
  #info: KernelConnectionInfo;
  #channels: Channels | undefined;
  #facts: KernelFacts | undefined;
  #expectsExit = false;
  #isGone = false;

  private constructor(parts: LocalKernelParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#info = parts.connectionInfo;
    this.#conversation = new Conversation({
      send: (message) => this.#channels?.send(message),
      interruptOutside: () => killGroup(parts.process.pid, "SIGINT"),
      patienceMs: PATIENCE_MS,
      kill: () => killGroup(parts.process.pid, "SIGKILL"),
    });
    const releaseGroup = sharedWatchdog().guardGroup(parts.process.pid);
    this.exited = parts.process.exited.then(async (exit) => {
      const lastWords = parts.process.lastWords();
      // Its children live in its group and session: none of them outlives it.
      killGroup(parts.process.pid, "SIGKILL");
      releaseGroup();
      rmSync(parts.directory, { recursive: true, force: true });
      // The process is gone, what it said last may still wait to be read.
      if (this.#channels) await within(this.#channels.outputEnded, LAST_OUTPUT_MS);
      return this.#onExit({ ...exit, lastWords });
    });
  }

  /** Waits until the kernel answers, its output is subscribed and its start-up code has run. */
  static async start(parts: LocalKernelParts, signal: AbortSignal): Promise<LocalKernel> {
    const kernel = new LocalKernel(parts);
    const abandoned = new AbortController();
    const failure = new Promise<never>((_resolve, reject) => {
      void kernel.exited.then((exit) => reject(startError(exit)));
    });
    try {
      const ready = kernel.#becomeReady(AbortSignal.any([signal, abandoned.signal]));
      await unlessAborted(Promise.race([ready, failure]), signal);
    } catch (error) {
      abandoned.abort();
      // Sockets close a moment before the process is reaped: its exit says more than the lost connection.
      const patience = signal.aborted ? undefined : Bun.sleep(REAP_MS);
      const exit = await Promise.race([kernel.exited, patience]);
      await kernel.shutdown({ graceMs: 0 });
      if (signal.aborted) throw signal.reason;
      throw exit ? startError(exit) : error;
    }
    return kernel;
  }

  get connectionInfo(): KernelConnectionInfo {
    return this.#info;
  }

  get state(): KernelState {
    return this.#conversation.state;
  }

  get facts(): KernelFacts {
    if (!this.#facts) throw new Error("a kernel has no facts before it is ready");
    return this.#facts;
  }

  /** Messages dropped because their signature or shape was wrong. */
  get rejectedMessages(): number {
    return this.#channels?.rejected ?? 0;
  }

  execute(code: string, options?: ExecuteOptions): AsyncIterable<KernelMessage> {
    return this.#conversation.execute(code, options);
  }

  ask(question: KernelQuestion, content: MessageContent): Promise<MessageContent> {
    return this.#conversation.ask(question, content);
  }

  interrupt(): Promise<void> {
    return this.#conversation.interrupt();
  }

  async isResponding(): Promise<boolean> {
    if (!this.#channels || this.#conversation.isOver) return false;
    return await this.#channels.beat(HEARTBEAT_MS);
  }

  takeLateOutput(): string {
    return this.#conversation.client.takeLateOutput();
  }

  async shutdown({ graceMs = SHUTDOWN_GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    // Its process id may be somebody else's by now.
    if (this.#isGone) return;
    this.#expectsExit = true;
    this.#conversation.beginShutdown();
    if (graceMs > 0) {
      this.#conversation.client.request("control", "shutdown_request", { restart: false });
      if (await within(this.exited, graceMs)) return;
    }
    killGroup(this.#parts.process.pid, "SIGKILL");
    await this.exited;
  }

  async #becomeReady(signal: AbortSignal): Promise<void> {
    while (!isComplete(this.#info)) {
      await Bun.sleep(PORT_POLL_MS);
      signal.throwIfAborted();
      this.#info = readConnectionFile(this.#parts.connectionFile) ?? this.#info;
    }
    this.#channels = await Channels.open({
      info: this.#info,
      signal,
      trace: this.#parts.trace,
      onMessage: (message) => this.#conversation.client.receive(message),
      onLost: () => void this.#onLost(),
    });
    const facts = bootKernel(this.#conversation.client, this.#parts.place);
    await Promise.all([facts, this.#conversation.subscribed(signal)]);
    this.#facts = await facts;
    this.#conversation.becomeReady();
  }

  /** A connection closed. Nearly always the process is about to end; if it is not, a kernel that we cannot hear is no use. */
  async #onLost(): Promise<void> {
    if (await within(this.exited, SHUTDOWN_GRACE_MS)) return;
    killGroup(this.#parts.process.pid, "SIGKILL");
  }

  #onExit(exit: KernelExit): KernelExit {
    this.#isGone = true;
    const final = this.#expectsExit ? { reason: "shut down", expected: true } : exit;
    this.#channels?.close();
    this.#conversation.end(final);
    return final;
  }
}

/** A first start makes the user's IPython directory: Python names the file that it could not write, after the one it was copied from. */
const NO_ROOM = /\[Errno (?:28|122)\].*'([^']+)'$/;

function startError(exit: KernelExit): KernelError {
  const words = exit.lastWords?.trim().split("\n").at(-1);
  const why = words ? `: ${words}` : "";
  const [, full] = NO_ROOM.exec(words ?? "") ?? [];
  if (full !== undefined)
    return new KernelError(
      {
        kind: "start-failed",
        issue: `the kernel cannot start: the disk has no room for '${full}'; free some, or let IPYTHONDIR name a directory elsewhere`,
        code: "ENOSPC",
      },
      { cause: exit.lastWords },
    );
  return new KernelError(
    {
      kind: "start-failed",
      issue: `the kernel ended while starting: ${exit.reason}${why}`,
      code: "KERNEL_START",
    },
    { cause: exit.lastWords },
  );
}
