/**
 * One existing kernel, which omp has not started: nothing here ends it, restarts it or changes how it behaves, and code of other clients
 * is never interrupted. The end of this object is the end of a connection.
 */

import { within } from "../../async/within.ts";
import { KernelError } from "../errors.ts";
import { JupyterKernel } from "../jupyter/jupyter-kernel.ts";
import type { TraceLine } from "../jupyter/trace.ts";
import type {
  KernelConnectionInfo,
  KernelExit,
  KernelFacts,
  KernelMessage,
  KernelQuestion,
  MessageContent,
} from "../kernel.ts";
import type { Channels } from "../local/channels.ts";
import type { ExistingConnection } from "./connection.ts";
import { askIntroduction, type KernelInfo, reach } from "./reach.ts";
import { readBridgeProblem, readWhereabouts, type Whereabouts, whereaboutsRequest } from "./whereabouts.ts";

const HEARTBEAT_MS = 2_000;
/** The other connections of a kernel that has ended close a moment later. */
const LAST_OUTPUT_MS = 2_000;
/**
 * Longer than the ten seconds that ipykernel waits for its own output, also on a busy machine: an interrupt in the middle of a write may
 * make it wait in vain, and it handles no other one until then.
 */
const PATIENCE_MS = 15_000;
/** A free kernel says at once where it is; a busy one is asked again with the first cell. */
const WHEREABOUTS_MS = 1_000;
/** Not every Python kernel is an IPython that can answer. */
const MAX_LOOKS = 3;
/** Help for code that is being typed is of no use later. */
const QUESTION_MS = 1_000;

export interface ExistingKernelParts {
  readonly connection: ExistingConnection;
  /** The project's directory. */
  readonly cwd: string;
  /** Whether its cells may call omp: the name `omp` is put into it then. */
  readonly bridge: boolean;
  readonly trace: TraceLine | undefined;
}

export class ExistingKernel extends JupyterKernel {
  protected readonly patienceMs = PATIENCE_MS;
  protected override readonly isBorrowed = true;
  readonly #parts: ExistingKernelParts;
  #channels: Channels | undefined;
  #info: KernelInfo | undefined;
  #whereabouts: Whereabouts | undefined;
  #bridgeProblem: string | undefined;
  #looks = 0;
  #farewell: string | undefined;

  private constructor(parts: ExistingKernelParts) {
    super();
    this.#parts = parts;
  }

  /** Connects, and waits until it has askIntroduction itself. Throws KernelError and leaves nothing behind. */
  static async attach(parts: ExistingKernelParts, signal: AbortSignal): Promise<ExistingKernel> {
    const kernel = new ExistingKernel(parts);
    try {
      await kernel.#connect(signal);
    } catch (error) {
      await kernel.shutdown();
      throw error;
    }
    return kernel;
  }

  /** Identifies the process: it stays the same over a broken connection. */
  get id(): string {
    return this.#known.kernelSession;
  }

  get connectionInfo(): KernelConnectionInfo {
    return this.#parts.connection.info;
  }

  override async ask(question: KernelQuestion, content: MessageContent): Promise<MessageContent> {
    if (!(await within(this.untilFree(), QUESTION_MS))) throw kernelBusyError();
    return await super.ask(question, content);
  }

  async isResponding(): Promise<boolean> {
    if (!this.#channels || this.isOver) return false;
    return await this.#channels.beat(HEARTBEAT_MS);
  }

  /** Disconnects. Our own code that still runs in the kernel is interrupted, if it has started. */
  async shutdown(): Promise<void> {
    if (this.isGone) return;
    const { running } = this;
    if (running && !running.hasEnded && running.received > 1) void this.#requestInterrupt();
    this.#leave({ reason: "shut down", expected: true });
  }

  /** Code that has swallowed the first interrupt may react to another. */
  protected forceInterrupt(): void {
    void this.#requestInterrupt();
  }

  protected kill(): void {
    const { running, client } = this;
    if (running && !running.hasEnded) client.abandon(running, DEAF);
  }

  get #known(): KernelInfo {
    if (!this.#info) throw new Error("a kernel is not known before it is ready");
    return this.#info;
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { connection, trace } = this.#parts;
    this.#channels = await reach(connection, {
      signal,
      trace,
      onMessage: (message) => this.#receive(message),
      onLost: () => void this.#onLost(),
    });
    this.client.transport = this.#channels;
    this.#info = await askIntroduction(this.client, connection, signal);
    await within(this.#look(), WHEREABOUTS_MS);
    this.becomeReady(this.#describe());
  }

  #describe(): KernelFacts {
    const found = this.#whereabouts;
    return {
      pythonVersion: found?.python ?? this.#known.version,
      executable: found?.executable ?? "",
      ipykernelVersion: found?.ipykernel ?? "unknown",
      pid: found?.pid ?? 0,
      location: {
        gateway: undefined,
        existing: this.#parts.connection.file,
        host: found?.host ?? "",
        cwd: found?.cwd ?? "",
        seesOurFiles: found?.seesOurFiles ?? false,
      },
      failedModules: [],
      bootProblems: this.#bridgeProblem === undefined ? [] : [`the calls of omp: ${this.#bridgeProblem}`],
      helpers: [],
    };
  }

  async #look(): Promise<void> {
    this.#looks += 1;
    const { cwd: directory, bridge } = this.#parts;
    const content = whereaboutsRequest({ directory, bridge });
    const asked = this.client.request("shell", "execute_request", content, "reply");
    await asked.ended;
    if (this.isOver) return;
    const reply = (await asked.reply()).content;
    this.#whereabouts = readWhereabouts(reply) ?? this.#whereabouts;
    this.#bridgeProblem = readBridgeProblem(reply);
    if (this.state !== "provisioning") this.becomeReady(this.#describe());
  }

  protected override async askWhenFree(): Promise<void> {
    await super.askWhenFree();
    // It was busy at first, or an error of another client dropped the request.
    if (!this.#whereabouts && this.#looks < MAX_LOOKS) await this.#look();
  }

  #receive(message: KernelMessage): void {
    const { channel, header, content } = message;
    if (channel === "iopub" && header.msg_type === "shutdown_reply")
      this.#farewell =
        content["restart"] === true ? "another client restarted it" : "another client shut it down";
    this.client.receive(message);
  }

  /** Settles when the kernel has received it. */
  #requestInterrupt(): Promise<void> {
    return this.client.request("control", "interrupt_request", {}).ended;
  }

  /** A connection closed. Its process may have ended, or the network failed; its last output may still wait to be read. */
  async #onLost(): Promise<void> {
    if (this.#channels) await within(this.#channels.outputEnded, LAST_OUTPUT_MS);
    this.#leave({ reason: this.#farewell ?? "the connection to it ended", expected: false });
  }

  #leave(exit: KernelExit): void {
    this.end(exit);
    this.#channels?.close();
  }
}

const DEAF = {
  ename: "StillRunning",
  evalue:
    "the cell does not respond to interrupts and is still running. omp did not start this kernel and does not kill it: it stays busy until the cell ends",
};

function kernelBusyError(): KernelError {
  const issue = "other code is running in the kernel: it answers when that ends";
  return new KernelError({ kind: "busy", issue, code: "KERNEL_BUSY" });
}
