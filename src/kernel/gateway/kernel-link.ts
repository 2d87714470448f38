/**
 * The link to one kernel behind a gateway, over however many connections that takes. What is sent while there is none waits; when none
 * can be made again, or the gateway reports that the kernel is gone, the link is lost for good.
 */

import { sleep } from "../../async/sleep.ts";
import { formatLimit } from "../../format/durations.ts";
import { KernelError, kernelClosedError } from "../errors.ts";
import { traceLine } from "../jupyter/trace.ts";
import type { KernelMessage } from "../message.ts";
import { ChannelsSocket, type ChannelsSocketOptions } from "./channels-socket.ts";

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 2_000;
const CONNECT_MS = 10_000;
/** Answers that will not change by asking again. */
const FINAL = new Set(["GATEWAY_UNAUTHORIZED", "GATEWAY_FORBIDDEN", "GATEWAY_TLS", "GATEWAY_NOT_JSON"]);

export interface KernelLinkOptions extends Omit<ChannelsSocketOptions, "signal"> {
  readonly reconnectLimitMs: number;
  /** Of a gateway on this machine: whether its process is there. */
  readonly isGatewayRunning?: (() => boolean) | undefined;
  /** There is a connection again. What is sent now goes before what has waited. */
  readonly onReconnected: () => void;
}

export class KernelLink {
  readonly #options: KernelLinkOptions;
  readonly #closing = new AbortController();
  #socket: ChannelsSocket | undefined;
  #waiting: KernelMessage[] = [];
  #restored: Promise<void> = Promise.resolve();

  private constructor(options: KernelLinkOptions) {
    this.#options = options;
  }

  static async open(options: KernelLinkOptions, signal: AbortSignal): Promise<KernelLink> {
    const link = new KernelLink(options);
    link.#socket = await link.#connect(signal);
    return link;
  }

  get isConnected(): boolean {
    return this.#socket !== undefined && !this.#isGatewayGone;
  }

  /** Settles when a connection that broke is there again, or lost for good. */
  get restored(): Promise<void> {
    // Its end arrives before that of the connection.
    if (this.#isGatewayGone) this.#lose(GATEWAY_ENDED);
    return this.#restored;
  }

  get #isGatewayGone(): boolean {
    return this.#options.isGatewayRunning?.() === false;
  }

  send(message: KernelMessage): void {
    this.#options.trace?.(traceLine("->", message));
    if (this.#closing.signal.aborted) return;
    if (this.#socket) this.#socket.send(message);
    else this.#waiting.push(message);
  }

  close(): void {
    this.#closing.abort(kernelClosedError("it was closed"));
    this.#socket?.close();
    this.#socket = undefined;
    this.#waiting = [];
  }

  /** Asks the gateway whether the kernel still exists; a link to one that does not is lost. */
  async look(): Promise<void> {
    const { client, kernelId, trace } = this.#options;
    try {
      const kernel = await client.kernel(kernelId);
      if (!kernel) this.#lose(goneReason(client.address.name));
      else if (kernel.executionState === "dead") this.#lose("its process ended");
    } catch (error) {
      // The websocket notices by itself when the gateway cannot be reached any more.
      trace?.(`-- ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #connect(signal: AbortSignal): Promise<ChannelsSocket> {
    return await ChannelsSocket.open({
      ...this.#options,
      signal: AbortSignal.any([signal, this.#closing.signal]),
      onLost: (reason) => {
        this.#socket = undefined;
        this.#restored = this.#reconnect(reason);
      },
    });
  }

  async #reconnect(reason: string): Promise<void> {
    const { trace, reconnectLimitMs, client } = this.#options;
    const deadline = performance.now() + reconnectLimitMs;
    let problem = reason;
    for (let delayMs = FIRST_DELAY_MS; !this.#closing.signal.aborted; ) {
      trace?.(`-- connection lost: ${problem}`);
      const attempt = await this.#tryAgain();
      if (attempt === "connected" || this.#closing.signal.aborted) return;
      if (attempt.isFinal) return this.#lose(attempt.problem);
      problem = attempt.problem;
      if (performance.now() + delayMs > deadline) {
        const limit = formatLimit(reconnectLimitMs);
        return this.#lose(
          `the connection to gateway ${client.address.name} broke and did not come back in ${limit}: ${problem}`,
        );
      }
      await sleep(delayMs, this.#closing.signal);
      delayMs = Math.min(2 * delayMs, MAX_DELAY_MS);
    }
  }

  async #tryAgain(): Promise<"connected" | { readonly problem: string; readonly isFinal: boolean }> {
    const { client, kernelId, onReconnected } = this.#options;
    if (this.#isGatewayGone) return { problem: GATEWAY_ENDED, isFinal: true };
    try {
      if (!(await client.kernel(kernelId)))
        return { problem: goneReason(client.address.name), isFinal: true };
      this.#socket = await this.#connect(AbortSignal.timeout(CONNECT_MS));
    } catch (error) {
      if (error instanceof KernelError) return { problem: error.issue, isFinal: FINAL.has(error.code) };
      if (error instanceof DOMException) return { problem: error.message, isFinal: false };
      throw error;
    }
    onReconnected();
    for (const message of this.#waiting.splice(0)) this.#socket?.send(message);
    return "connected";
  }

  #lose(reason: string): void {
    if (this.#closing.signal.aborted) return;
    this.close();
    this.#options.onLost(reason);
  }
}

const GATEWAY_ENDED = "its gateway ended";

function goneReason(gateway: string): string {
  return `gateway ${gateway} has ended it (404): it was idle for too long, another client stopped it, or the gateway was restarted`;
}
