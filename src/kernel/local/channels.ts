/** The sockets to one kernel: shell, control and iopub carry signed messages, the heartbeat echoes bytes. */

import { randomBytes } from "node:crypto";
import { within } from "../../async/within.ts";
import { type TraceLine, traceLine } from "../jupyter/trace.ts";
import { WireFormat } from "../jupyter/wire.ts";
import type { KernelConnectionInfo } from "../kernel.ts";
import type { Channel, KernelMessage } from "../message.ts";
import { type ZmtpError, ZmtpSocket } from "../zmtp/index.ts";
import { endpointOf } from "./connection-file.ts";

/** Messages of a kernel are accepted up to this size; beyond it the connection is closed, to protect our memory. */
const MAX_MESSAGE_BYTES = 2 ** 30;
/** The longest that a timer can wait: the caller's signal is the real limit. */
const NO_LIMIT_MS = 2 ** 31 - 1;

export interface ChannelsOptions {
  readonly info: KernelConnectionInfo;
  /** Ends connecting, which is retried until then: the kernel may still be starting. */
  readonly signal: AbortSignal;
  readonly trace: TraceLine | undefined;
  readonly onMessage: (message: KernelMessage) => void;
  /** A connection was lost; not called after `close`. */
  readonly onLost: (error: ZmtpError | undefined) => void;
}

export class Channels {
  readonly #options: ChannelsOptions;
  readonly #wire: WireFormat;
  #sockets: ZmtpSocket[] = [];
  #shell: ZmtpSocket | undefined;
  #control: ZmtpSocket | undefined;
  #heartbeat: ZmtpSocket | undefined;
  #beat: PromiseWithResolvers<void> | undefined;
  #closed = false;
  /** One connection has ended. The others are still read: the kernel's last output may be on its way. */
  #isLost = false;
  readonly #outputEnded = Promise.withResolvers<void>();
  /** Messages dropped because their shape or signature was wrong. */
  rejected = 0;

  private constructor(options: ChannelsOptions) {
    this.#options = options;
    this.#wire = new WireFormat(options.info.key, options.info.signatureScheme.slice("hmac-".length));
  }

  static async open(options: ChannelsOptions): Promise<Channels> {
    const channels = new Channels(options);
    try {
      await channels.#connect();
    } catch (error) {
      channels.close();
      throw error;
    }
    return channels;
  }

  send(message: KernelMessage): void {
    this.#options.trace?.(traceLine("->", message));
    // With a lost connection the kernel is about to end, which settles every open exchange.
    if (this.#closed || this.#isLost) return;
    const socket = message.channel === "control" ? this.#control : this.#shell;
    socket?.send(this.#wire.encode(message));
  }

  /**
   * One heartbeat: true when the echo arrives in time. It is answered outside Python, so a busy kernel answers too. A REQ socket
   * may not send again before it has its answer: concurrent callers wait for the same echo.
   */
  async beat(timeoutMs: number): Promise<boolean> {
    if (this.#closed || this.#isLost) return false;
    this.#beat ??= this.#startBeat();
    return (await within(this.#beat.promise, timeoutMs)) && !this.#closed;
  }

  /** Settles when everything that the kernel published has been read. */
  get outputEnded(): Promise<void> {
    return this.#outputEnded.promise;
  }

  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.close();
    this.#beat?.resolve();
  }

  #startBeat(): PromiseWithResolvers<void> {
    this.#heartbeat?.send([Buffer.from("omp")]);
    return Promise.withResolvers();
  }

  #onEcho(): void {
    this.#beat?.resolve();
    this.#beat = undefined;
  }

  async #connect(): Promise<void> {
    // A fresh identity for each socket: with two clients of one identity a kernel would send replies to the wrong one.
    const open = async (
      type: "DEALER" | "SUB" | "REQ",
      port: Parameters<typeof endpointOf>[1],
      channel?: Channel,
    ) => {
      const socket = await ZmtpSocket.connect({
        type,
        endpoint: endpointOf(this.#options.info, port),
        ...(type === "SUB" ? { subscriptions: [new Uint8Array()] } : { identity: newIdentity() }),
        maxMessageBytes: MAX_MESSAGE_BYTES,
        maxFrameBytes: MAX_MESSAGE_BYTES,
        connectTimeoutMs: NO_LIMIT_MS,
        signal: this.#options.signal,
        onMessage: channel ? (frames) => this.#receive(channel, frames) : () => this.#onEcho(),
        onClose: (error) => {
          if (channel === "iopub") this.#outputEnded.resolve();
          if (this.#closed || this.#isLost) return;
          this.#isLost = true;
          this.#options.onLost(error);
        },
      });
      this.#sockets.push(socket);
      return socket;
    };
    const [, shell, control, heartbeat] = await Promise.all([
      open("SUB", "iopubPort", "iopub"),
      open("DEALER", "shellPort", "shell"),
      open("DEALER", "controlPort", "control"),
      open("REQ", "hbPort"),
    ]);
    this.#shell = shell;
    this.#control = control;
    this.#heartbeat = heartbeat;
  }

  #receive(channel: Channel, frames: Uint8Array[]): void {
    const result = this.#wire.decode(channel, frames);
    if (!result.ok) {
      this.rejected += 1;
      this.#options.trace?.(`<- ${channel} dropped: ${result.rejection}`);
      return;
    }
    this.#options.trace?.(traceLine("<-", result.message));
    this.#options.onMessage(result.message);
  }
}

/** As text: an identity must not start with a zero byte, as one in 256 random ones does. */
function newIdentity(): Uint8Array {
  return Buffer.from(randomBytes(16).toString("hex"));
}
