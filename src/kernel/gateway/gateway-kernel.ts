/** One kernel behind a gateway, over the link to it. Ends it there when it ends here. */

import { within } from "../../async/within.ts";
import { KernelError } from "../errors.ts";
import type { BootOptions } from "../jupyter/boot.ts";
import { JupyterKernel } from "../jupyter/jupyter-kernel.ts";
import type { ExecuteOptions, KernelExit, KernelMessage } from "../kernel.ts";
import { KernelLink, type KernelLinkOptions } from "./kernel-link.ts";
import { readRateNotice } from "./rate-notice.ts";
import { recover } from "./recovery.ts";
import { Replay } from "./replay.ts";

/** A server that is busy passing on a flood of output handles an interrupt late. */
const PATIENCE_MS = 6_000;
const RESPONSE_MS = 2_000;
/** How often a gateway is asked, while code runs, whether it still has the kernel: it does not report that by itself. */
const LOOK_MS = 5_000;
/** When it is first asked, if a cell has not even started by then. */
const FIRST_LOOK_MS = 1_000;
/** Ending a kernel takes a server up to ten seconds; it continues when we no longer wait. */
const REMOVAL_MS = 3_000;
const REMOVAL_PAUSE_MS = 250;
const INTERRUPT_MS = 500;

export interface GatewayKernelParts
  extends Pick<
    KernelLinkOptions,
    "client" | "kernelId" | "reconnectLimitMs" | "silenceMs" | "trace" | "isGatewayRunning"
  > {
  readonly boot: BootOptions;
  /** Resumes a gateway that is suspended. */
  readonly wake: (() => void) | undefined;
  /** Called when the gateway has ended the kernel for us. */
  readonly onRemoved: () => void;
}

export class GatewayKernel extends JupyterKernel {
  readonly id: string;
  readonly connectionInfo = undefined;
  protected readonly patienceMs = PATIENCE_MS;
  readonly #parts: GatewayKernelParts;
  readonly #replay = new Replay((message) => this.client.receive(message));
  #link: KernelLink | undefined;
  #kernelSession: string | undefined;
  #recoveries = 0;
  #removal: Promise<void> = Promise.resolve();

  private constructor(parts: GatewayKernelParts) {
    super();
    this.id = parts.kernelId;
    this.#parts = parts;
  }

  /** Waits until the kernel answers, its output is subscribed and its boot code has run. */
  static async start(parts: GatewayKernelParts, signal: AbortSignal): Promise<GatewayKernel> {
    const kernel = new GatewayKernel(parts);
    try {
      await kernel.connectUnlessEnded((until) => kernel.#connect(until), signal);
    } catch (error) {
      await kernel.shutdown();
      throw error;
    }
    return kernel;
  }

  /** Settles when the gateway has ended the kernel that is gone, or has had its time to. */
  get removed(): Promise<void> {
    return this.#removal;
  }

  override async *execute(code: string, options?: ExecuteOptions): AsyncGenerator<KernelMessage, void, void> {
    const look = () => this.#look();
    const isUnheard = () => this.running?.received === 0;
    const first = setTimeout(() => isUnheard() && look(), FIRST_LOOK_MS);
    const watch = setInterval(look, LOOK_MS);
    try {
      yield* super.execute(code, options);
    } finally {
      clearTimeout(first);
      clearInterval(watch);
    }
  }

  override get isConnected(): boolean {
    return this.#link?.isConnected ?? false;
  }

  /** There is no heartbeat behind a gateway; the control channel answers while code runs. */
  async isResponding(): Promise<boolean> {
    await this.#link?.restored;
    if (this.isOver) return false;
    const asked = this.client.request("control", "kernel_info_request", {}).ended;
    if (await within(asked, RESPONSE_MS)) return !this.isOver;
    await this.#look();
    return false;
  }

  /** Resolves when the gateway has ended it, or has had its time to. */
  async shutdown(): Promise<void> {
    if (!this.isGone) {
      this.#removal = this.#remove({ isBusy: this.running !== undefined });
      this.#link?.close();
      this.end({ reason: "shut down", expected: true }, this.#removal);
    }
    await this.#removal;
  }

  protected forceInterrupt(): void {
    void this.#interruptThroughGateway();
  }

  protected kill(): void {
    this.#die(this.#link?.isConnected ? DEAF : UNHEARD, "omp");
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const link = await KernelLink.open(
      {
        ...this.#parts,
        session: this.client.session,
        onMessage: (message) => this.#receive(message),
        onReconnected: () => void this.#recover(),
        onLost: (reason) => this.#die(reason, "gateway"),
      },
      signal,
    );
    this.#link = link;
    this.client.transport = link;
    if (this.isGone) link.close();
    await this.boot(this.#parts.boot, signal);
  }

  #receive(message: KernelMessage): void {
    const { channel, header } = message;
    if (channel === "shell") this.#kernelSession ??= header.session;
    this.#checkProcess(message);
    // A client asked the kernel to end; the gateway knows whether it still has it.
    if (channel === "iopub" && header.msg_type === "shutdown_reply") void this.#look();
    this.#replay.accept(
      readRateNotice(message, {
        gateway: this.#parts.client.address.name,
        session: this.client.session,
        kernelSession: this.#kernelSession,
        running: this.running?.id,
      }),
    );
  }

  /** Every process has a session of its own, by which a new one in the kernel's place is known. */
  #checkProcess({ channel, header, content }: KernelMessage): void {
    const { session, msg_type: type } = header;
    if (this.#kernelSession === undefined || session === this.#kernelSession) return;
    const state = channel === "iopub" && type === "status" ? content["execution_state"] : undefined;
    if (session === this.client.session) {
      // Sent by the gateway, which watches the process and uses our session.
      if (state === "restarting") this.#die(ENDED_BY_ITSELF);
      if (state === "dead") this.#die("its process ended");
    } else if (channel !== "iopub" || state !== undefined) this.#die(REPLACED);
  }

  async #recover(): Promise<void> {
    this.#recoveries += 1;
    const number = this.#recoveries;
    await recover({
      client: this.client,
      replay: this.#replay,
      running: this.running,
      kernelSession: this.#kernelSession,
      isCurrent: () => number === this.#recoveries && !this.isGone,
      onRestarted: () => this.#die(REPLACED),
    });
  }

  async #look(): Promise<void> {
    this.#parts.wake?.();
    await this.#link?.look();
  }

  async #interruptThroughGateway(): Promise<void> {
    const { client, kernelId, trace, wake } = this.#parts;
    wake?.();
    await client.interrupt(kernelId).catch((error: unknown) => trace?.(`-- ${String(error)}`));
  }

  #die(reason: string, endedBy?: KernelExit["endedBy"]): void {
    if (this.isGone) return;
    this.#link?.close();
    this.end({ reason, expected: false, endedBy });
    // There may be a new process in its place, which is of no use.
    this.#removal = this.#remove({ isBusy: false });
  }

  async #remove({ isBusy }: { readonly isBusy: boolean }): Promise<void> {
    const { client, kernelId, trace, onRemoved } = this.#parts;
    const limit = AbortSignal.timeout(REMOVAL_MS);
    // A busy kernel would be asked politely for seconds before it is killed.
    if (isBusy) await within(this.#interruptThroughGateway(), INTERRUPT_MS);
    for (;;) {
      try {
        await client.remove(kernelId, limit);
        return onRemoved();
      } catch (error) {
        trace?.(`-- ${kernelId} was not ended: ${String(error)}`);
        // Jupyter servers fail (500) to end a kernel that they are just restarting.
        const isRestarting = error instanceof KernelError && error.code === "GATEWAY_ERROR";
        if (!isRestarting || limit.aborted) return;
        await Bun.sleep(REMOVAL_PAUSE_MS);
      }
    }
  }
}

const DEAF = "it did not respond to an interrupt";
const UNHEARD = "it could not be interrupted, because the connection to its gateway is broken";
const ENDED_BY_ITSELF = "its process ended, and the gateway started an empty one in its place";
const REPLACED = "the gateway started an empty one in its place";
