/**
 * One kernel on this machine: a process, its sockets, and the messages over them. Owns everything that it was given at its start
 * and releases all of it when it ends, however it ends.
 */

import { dirname } from "node:path";
import { unlessAborted } from "../../async/abort.ts";
import { within } from "../../async/within.ts";
import { memoryOf } from "../../process/memory.ts";
import { countOomKills } from "../../process/oom-kills.ts";
import { descriptorLimit } from "../../process/proc.ts";
import { sharedWatchdog } from "../../process/watchdog.ts";
import { KERNEL_DESCRIPTORS, KernelError, kernelStartError } from "../errors.ts";
import type { BootOptions } from "../jupyter/boot.ts";
import { JupyterKernel } from "../jupyter/jupyter-kernel.ts";
import type { TraceLine } from "../jupyter/trace.ts";
import type {
  KernelConnectionInfo,
  KernelExit,
  KernelFacts,
  ParkedKernel,
  Parking,
  ProcessMemory,
} from "../kernel.ts";
import { checkpointRequest, readCheckpointReply } from "../python/checkpoint-request.ts";
import { Channels } from "./channels.ts";
import { isComplete, readConnectionFile } from "./connection-file.ts";
import type { KernelCopies } from "./kernel-copies.ts";
import type { KernelProcess, ProcessExit } from "./kernel-process.ts";
import { copyError, LocalParkedKernel, type ParkedParts } from "./parked-kernel.ts";
import type { KernelDirectory } from "./runtime-directory.ts";
import { wasStopped } from "./stop-mark.ts";

/** A kernel with a live child needs half a minute to shut down by itself, which is too long to wait for. */
const SHUTDOWN_GRACE_MS = 1_000;
/** From the first request to the kill: 5 s, which leaves a caller with a limit of 8 s the time to start a new kernel. */
const PATIENCE_MS = 3_000;
const HEARTBEAT_MS = 2_000;
const LAST_OUTPUT_MS = 500;
/** How long a process whose sockets have closed may take to be reaped. */
const REAP_MS = 250;
const PORT_POLL_MS = 5;
/** Python takes longer than this to get to its first socket. */
const LIMIT_POLL_MS = 25;

export interface LocalKernelParts {
  readonly id: string;
  readonly process: KernelProcess;
  readonly directory: Pick<KernelDirectory, "directory" | "remove">;
  readonly connectionFile: string;
  readonly connectionInfo: KernelConnectionInfo;
  readonly boot: BootOptions;
  readonly trace: TraceLine | undefined;
  /** How checkpoints of it are made; or why there can be none, as a clause. */
  readonly copies: KernelCopies | string;
}

export class LocalKernel extends JupyterKernel {
  readonly id: string;
  protected readonly patienceMs = PATIENCE_MS;
  readonly #parts: LocalKernelParts;
  #info: KernelConnectionInfo;
  #channels: Channels | undefined;
  /** Why omp has ended the process, once it has. */
  #endedBecause: string | undefined;
  readonly #oomKillsBefore = countOomKills();
  #descriptorLimit = Number.POSITIVE_INFINITY;

  private constructor(parts: LocalKernelParts) {
    super();
    this.id = parts.id;
    this.#parts = parts;
    this.#info = parts.connectionInfo;
    void this.#watchProcess(sharedWatchdog().guardGroup(parts.process.pid));
  }

  /** Waits until the kernel answers, its output is subscribed and its boot code has run. */
  static async start(parts: LocalKernelParts, signal: AbortSignal): Promise<LocalKernel> {
    const kernel = new LocalKernel(parts);
    try {
      await kernel.connectUnlessEnded((until) => kernel.#connect(until), signal);
    } catch (error) {
      // Sockets close a moment before the process is reaped: its exit says more than the lost connection.
      const patience = signal.aborted ? undefined : Bun.sleep(REAP_MS);
      const exit = await Promise.race([kernel.exited, patience]);
      await kernel.shutdown({ graceMs: 0 });
      if (signal.aborted) throw signal.reason;
      throw exit ? kernelStartError(exit) : error;
    }
    return kernel;
  }

  get connectionInfo(): KernelConnectionInfo {
    return this.#info;
  }

  /** Messages dropped because their signature or shape was wrong. */
  get rejectedMessages(): number {
    return this.#channels?.rejected ?? 0;
  }

  async isResponding(): Promise<boolean> {
    if (!this.#channels || this.isOver) return false;
    return await this.#channels.beat(HEARTBEAT_MS);
  }

  async shutdown({ graceMs = SHUTDOWN_GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    // Its process id may belong to another process by now.
    if (this.isGone) return;
    this.beginShutdown();
    if (graceMs > 0) {
      this.client.request("control", "shutdown_request", { restart: false });
      if (await within(this.exited, graceMs)) return;
    }
    this.#killGroup();
    await this.exited;
  }

  /** The request itself only looks at what a copy would not have; the fork follows when it has been answered. */
  async park(signal: AbortSignal): Promise<Parking> {
    const { copies } = this.#parts;
    if (typeof copies === "string") return { kind: "impossible", reason: copies };
    const socket = copies.nextSocket();
    try {
      const asked = this.client.request("shell", "execute_request", checkpointRequest(socket), "reply");
      const answer = readCheckpointReply((await unlessAborted(asked.reply(), signal)).content);
      if (typeof answer === "string") return { kind: "impossible", reason: answer };
      if ("refusal" in answer) return { kind: "impossible", reason: answer.refusal };
      return { kind: "parked", parked: await this.parkedAt(socket, answer.notHeld, signal) };
    } catch (error) {
      if (signal.aborted || !(error instanceof KernelError)) throw error;
      return { kind: "impossible", reason: error.issue };
    }
  }

  async parkedAt(socket: string, notHeld: readonly string[], signal: AbortSignal): Promise<ParkedKernel> {
    const { copies } = this.#parts;
    const isOwn = typeof copies !== "string" && dirname(socket) === copies.directory;
    if (!isOwn) throw copyError(typeof copies === "string" ? copies : "its socket is not in its directory");
    const wake: ParkedParts["wake"] = (...how) => copies.wake(this, ...how);
    const parked = await LocalParkedKernel.connect({ socket, notHeld, adopt: copies.adopt, wake }, signal);
    for (const { onCopy } of this.client.answersAbout.values()) onCopy(parked);
    return parked;
  }

  /** For a copy: its code asks what that of the original asks. */
  answerAs(original: LocalKernel): void {
    for (const [about, answers] of original.client.answersAbout) {
      answers.onCopy(this);
      this.answerAbout(about, answers);
    }
  }

  async memory(): Promise<ProcessMemory | undefined> {
    const { program } = this.#parts.process.started;
    return program === undefined ? undefined : await memoryOf(program);
  }

  protected override becomeReady(facts: KernelFacts): void {
    const { isConfined, started } = this.#parts.process;
    super.becomeReady(isConfined ? { ...facts, pid: started.program ?? facts.pid } : facts);
  }

  protected forceInterrupt(): void {
    this.#parts.process.started.signal("SIGINT");
  }

  protected kill(): void {
    this.#endFor("it did not respond to an interrupt");
  }

  #endFor(reason: string): void {
    this.#endedBecause ??= reason;
    this.#killGroup();
  }

  #killGroup(): void {
    this.#parts.process.started.kill();
  }

  async #connect(signal: AbortSignal): Promise<void> {
    // Repeatedly: a script that starts the interpreter may change the limit, and it cannot be read once the process has ended.
    const watching = setInterval(() => this.#lookAtLimit(), LIMIT_POLL_MS);
    try {
      while (!isComplete(this.#info)) {
        await Bun.sleep(PORT_POLL_MS);
        signal.throwIfAborted();
        this.#info = readConnectionFile(this.#parts.connectionFile) ?? this.#info;
      }
      this.#channels = await Channels.open({
        info: this.#info,
        signal,
        trace: this.#parts.trace,
        onMessage: (message) => this.client.receive(message),
        onLost: () => void this.#onLost(),
      });
      this.client.transport = this.#channels;
      await this.boot(this.#parts.boot, signal);
    } finally {
      clearInterval(watching);
    }
  }

  /** A connection closed. Nearly always the process is about to end; if it is not, a kernel that cannot be heard is no use. */
  async #onLost(): Promise<void> {
    this.#lookAtLimit();
    if (!(await within(this.exited, SHUTDOWN_GRACE_MS))) this.#endFor("it closed its connection");
  }

  async #watchProcess(releaseGroup: () => void): Promise<void> {
    const { process, directory } = this.#parts;
    const ended = await process.exited;
    const lastWords = process.lastWords();
    const exit = this.#explain(ended, lastWords);
    // Its children are in its group and session: none of them outlives it.
    this.#killGroup();
    releaseGroup();
    directory.remove();
    // The process is gone, but its last output may still wait to be read.
    if (this.#channels) await within(this.#channels.outputEnded, LAST_OUTPUT_MS);
    this.#channels?.close();
    this.end(this.state === "shutdown" ? { reason: "shut down", expected: true } : { ...exit, lastWords });
  }
  #lookAtLimit(): void {
    this.#descriptorLimit = descriptorLimit(this.#parts.process.pid) ?? this.#descriptorLimit;
  }

  /** libzmq aborts the process, or leaves its connections, and by then its message cannot be read. */
  #lacksDescriptors(lastWords: string): boolean {
    if (this.state !== "provisioning") return false;
    return this.#descriptorLimit < KERNEL_DESCRIPTORS || /Too many open files/.test(lastWords);
  }

  #explain({ signal, ...exit }: ProcessExit, lastWords: string): KernelExit {
    if (this.#lacksDescriptors(lastWords)) return { ...exit, reason: NO_DESCRIPTORS, isExhausted: true };
    if (this.#endedBecause !== undefined) return { ...exit, reason: this.#endedBecause, endedBy: "omp" };
    if (wasStopped(this.#parts.directory.directory))
      return { ...exit, reason: "omp kernel stop", endedBy: "user" };
    const isOom = signal === "SIGKILL" && countOomKills() > this.#oomKillsBefore;
    return isOom ? { ...exit, reason: OUT_OF_MEMORY } : exit;
  }
}

const OUT_OF_MEMORY = "killed by the system, because memory ran out (SIGKILL)";
const NO_DESCRIPTORS = "it is not allowed to open as many files as it needs (EMFILE)";
