/** One websocket to one kernel: all four channels over one connection. Owns the connection and knows when it is dead. */

import { unlessAborted } from "../../async/abort.ts";
import { KernelError } from "../errors.ts";
import { type TraceLine, traceLine } from "../jupyter/trace.ts";
import type { KernelMessage } from "../message.ts";
import { type GatewayClient, kernelPath } from "./gateway-client.ts";
import { formatFor, V1_PROTOCOL, type WebsocketFormat } from "./websocket-format.ts";

export interface ChannelsSocketOptions {
  readonly client: GatewayClient;
  readonly kernelId: string;
  /** The same for every connection to a kernel: the gateway replays to it what it missed. */
  readonly session: string;
  /** Ends connecting. */
  readonly signal: AbortSignal;
  /** A connection that is silent for this long, pings included, is dead: not every one is closed properly. */
  readonly silenceMs: number;
  readonly trace: TraceLine | undefined;
  readonly onMessage: (message: KernelMessage) => void;
  /** The open connection was lost, not closed by `close`. @param reason one clause for the user. */
  readonly onLost: (reason: string) => void;
}

export class ChannelsSocket {
  readonly #options: ChannelsSocketOptions;
  readonly #socket: WebSocket;
  #format: WebsocketFormat | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #lastHeardAt = 0;
  #isAcknowledging = false;
  #isClosed = false;

  private constructor(options: ChannelsSocketOptions, { isV1 }: { readonly isV1: boolean }) {
    const { client, kernelId, session } = options;
    const path = `${kernelPath(kernelId)}/channels?session_id=${encodeURIComponent(session)}`;
    this.#options = options;
    this.#socket = new WebSocket(client.address.websocket(path), {
      headers: client.address.headers,
      ...(isV1 ? { protocols: [V1_PROTOCOL] } : {}),
      ...client.address.tls,
    });
    this.#socket.binaryType = "nodebuffer";
  }

  /** Bun treats a server that selects no subprotocol as one that refuses: it is asked again without one. */
  static async open(options: ChannelsSocketOptions): Promise<ChannelsSocket> {
    const { client, kernelId } = options;
    try {
      return await ChannelsSocket.#tryToOpen(options, { isV1: client.speaksV1 });
    } catch (error) {
      if (!(error instanceof RefusedWebsocket)) throw error;
      if (!error.isForProtocol) throw await client.explainWebsocket(`${kernelPath(kernelId)}/channels`);
    }
    client.speaksV1 = false;
    return await ChannelsSocket.#tryToOpen(options, { isV1: false });
  }

  static async #tryToOpen(
    options: ChannelsSocketOptions,
    form: { readonly isV1: boolean },
  ): Promise<ChannelsSocket> {
    const channels = new ChannelsSocket(options, form);
    try {
      await channels.#open();
    } catch (error) {
      channels.close();
      throw error;
    }
    return channels;
  }

  send(message: KernelMessage): void {
    if (this.#format && !this.#isClosed) this.#socket.send(this.#format.encode(message));
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#watch);
    // No closing handshake: its answer would have to be waited for.
    this.#socket.terminate();
  }

  async #open(): Promise<void> {
    const { signal } = this.#options;
    const opened = Promise.withResolvers<void>();
    const socket = this.#socket;
    socket.addEventListener("open", () => opened.resolve());
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("pong", () => this.#onSignOfLife());
    socket.addEventListener("ping", () => this.#onSignOfLife());
    let problem = "";
    socket.addEventListener("error", (event) => {
      problem = "message" in event ? String(event.message) : "error";
      this.#options.trace?.(`-- websocket: ${problem}`);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      opened.reject(new RefusedWebsocket(problem));
      this.#onClose(`${reason || "the websocket closed"} (${code})`);
    });
    await unlessAborted(opened.promise, signal);
    this.#format = formatFor(socket.protocol);
    this.#options.trace?.(`-- websocket open, ${socket.protocol || "JSON"}`);
    this.#onSignOfLife();
    this.#watch = setInterval(() => this.#checkSilence(), this.#options.silenceMs / 3);
  }

  #receive(data: string | Uint8Array): void {
    this.#acknowledge();
    this.#onSignOfLife();
    if (this.#isClosed || !this.#format) return;
    const { trace, onMessage } = this.#options;
    const result = this.#format.decode(data);
    if (!result.ok) {
      trace?.(`<- dropped: ${result.rejection}`);
      return;
    }
    trace?.(traceLine("<-", result.message));
    onMessage(result.message);
  }

  /**
   * Jupyter servers send small messages with Nagle's algorithm on: each waits until the one before it is acknowledged, which takes
   * this side's kernel 40 ms unless there is something to send back. So there is.
   */
  #acknowledge(): void {
    if (this.#isAcknowledging) return;
    this.#isAcknowledging = true;
    // Once for all messages that arrived together.
    setImmediate(() => {
      this.#isAcknowledging = false;
      // A pong is not answered; an answer would itself wait for its acknowledgement.
      if (!this.#isClosed) this.#socket.pong();
    });
  }

  #onSignOfLife(): void {
    this.#lastHeardAt = performance.now();
  }

  #checkSilence(): void {
    if (performance.now() - this.#lastHeardAt > this.#options.silenceMs) {
      this.#socket.terminate();
      this.#onClose("the gateway stopped responding");
    } else this.#socket.ping();
  }

  #onClose(reason: string): void {
    clearInterval(this.#watch);
    if (this.#isClosed) return;
    const wasOpen = this.#format !== undefined;
    this.#isClosed = true;
    if (wasOpen) this.#options.onLost(reason);
  }
}

class RefusedWebsocket extends KernelError {
  /** Whether only the subprotocol was missing. */
  readonly isForProtocol: boolean;

  constructor(problem: string) {
    super({ kind: "gateway", issue: `the websocket was refused: ${problem}`, code: "GATEWAY_WEBSOCKET" });
    this.isForProtocol = /client protocol/i.test(problem);
  }
}
