/**
 * A ZeroMQ client socket with one connection, on Bun's sockets. Owns the connection's life: trying until something listens,
 * the handshake's time limit, the first cause of its end. Connecting again after an end is not its job.
 *
 * Reading never pauses: a publisher whose subscriber stalls throws messages away without a word.
 */

import type { Socket } from "bun";
import { onAbort } from "../../async/abort.ts";
import { systemCode } from "../../protocol/error.ts";
import { Connection, type SocketType } from "./connection.ts";
import {
  dial,
  type Endpoint,
  endpointHint,
  endpointName,
  isConnectedToItself,
  notListeningYet,
} from "./endpoint.ts";
import { ZmtpError } from "./errors.ts";
import { Outbox } from "./outbox.ts";

export interface ZmtpOptions {
  readonly type: SocketType;
  readonly endpoint: Endpoint;
  readonly identity?: Uint8Array | undefined;
  /** Topics of a SUB socket, an empty one for everything; without any it receives nothing. */
  readonly subscriptions?: readonly Uint8Array[] | undefined;
  readonly maxFrameBytes?: number | undefined;
  readonly maxMessageBytes?: number | undefined;
  /** For all of it: until something listens, and until the handshake is done. */
  readonly connectTimeoutMs?: number | undefined;
  readonly retryEveryMs?: number | undefined;
  /** Ends connecting. Once connected it has no more effect. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The frames may be kept. Called for what arrives together with the peer's READY too, so before `connect` resolves.
   * The empty frame of REQ and REP is not among them.
   */
  onMessage(frames: Uint8Array[]): void;
  /** Once, and only for a socket that was connected; without an error when this side closed it. */
  onClose(error: ZmtpError | undefined): void;
}

const defaults = {
  maxFrameBytes: 512 * 1024 * 1024,
  maxMessageBytes: 1024 * 1024 * 1024,
  connectTimeoutMs: 30_000,
  retryEveryMs: 5,
} as const;

interface Waiter {
  resolve(): void;
  reject(error: ZmtpError): void;
}

export class ZmtpSocket {
  readonly #options: ZmtpOptions;
  readonly #connected = Promise.withResolvers<ZmtpSocket>();
  readonly #connection: Connection;
  readonly #outbox: Outbox;
  #raw: Socket | undefined;
  #ended: ZmtpError | undefined;
  #drainWaiters: Waiter[] = [];
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  /** Why the last attempt found no listener, for the message of a timeout. */
  #lastRefusal: string | undefined;

  /** Resolves once the peer's READY has arrived and the subscriptions are sent; rejects with a ZmtpError. */
  static async connect(options: ZmtpOptions): Promise<ZmtpSocket> {
    const socket = new ZmtpSocket(options);
    return await socket.#establish();
  }

  private constructor(options: ZmtpOptions) {
    this.#options = options;
    this.#outbox = new Outbox((bytes) => this.#raw?.write(bytes) ?? 0);
    this.#connection = new Connection({
      type: options.type,
      identity: options.identity,
      subscriptions: options.subscriptions ?? [],
      limits: {
        maxFrameBytes: options.maxFrameBytes ?? defaults.maxFrameBytes,
        maxMessageBytes: options.maxMessageBytes ?? defaults.maxMessageBytes,
      },
      write: (bytes) => this.#outbox.push(bytes),
      onReady: () => this.#connected.resolve(this),
      onMessage: (frames) => callOut(() => options.onMessage(frames)),
    });
  }

  /** What the operating system has not taken yet. It is for the caller to stop when it grows too far. */
  get bufferedBytes(): number {
    return this.#outbox.waitingBytes;
  }

  /** The frames must not change afterwards: large ones are written from where they are. */
  send(frames: readonly Uint8Array[]): void {
    if (this.#ended !== undefined) throw this.#ended;
    this.#connection.send(frames);
  }

  /** Resolves once nothing is buffered; rejects if the connection ends first. */
  drained(): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (this.#outbox.waitingBytes === 0) return Promise.resolve();
    return new Promise((resolve, reject) => this.#drainWaiters.push({ resolve, reject }));
  }

  /** At once: what is buffered is dropped (await `drained` first where it matters), nothing more is delivered. */
  close(): void {
    if (this.#ended !== undefined) return;
    this.#end(new ZmtpError("closed", "this side closed the connection", { code: "ECANCELED" }));
    // `end` rather than `terminate`: over tcp the latter also drops what the operating system has taken already.
    this.#raw?.end();
    callOut(() => this.#options.onClose(undefined));
  }

  async #establish(): Promise<ZmtpSocket> {
    const { signal, connectTimeoutMs = defaults.connectTimeoutMs } = this.#options;
    const timer = setTimeout(() => this.#fail(this.#timeout(connectTimeoutMs)), connectTimeoutMs);
    const stopListening = onAbort(signal, () =>
      this.#fail(new ZmtpError("aborted", `connecting to ${this.#name} was given up`)),
    );
    if (!signal?.aborted) void this.#attempt();
    try {
      return await this.#connected.promise;
    } finally {
      clearTimeout(timer);
      stopListening();
    }
  }

  async #attempt(): Promise<void> {
    try {
      await dial(this.#options.endpoint, {
        binaryType: "uint8array",
        open: (raw) => this.#opened(raw),
        data: (raw, chunk) => this.#data(raw, chunk),
        drain: () => this.#drain(),
        close: (raw, error) => this.#closedByPeer(raw, error),
        error: (_raw, error) => rethrowLater(error),
      });
    } catch (error) {
      this.#refused(error);
    }
  }

  #refused(error: unknown): void {
    if (this.#ended !== undefined) return;
    const code = systemCode(error);
    if (code === undefined || !notListeningYet.has(code)) {
      const issue = `cannot connect to ${this.#name}${endpointHint(this.#options.endpoint)}`;
      this.#fail(new ZmtpError("unreachable", issue, { code, cause: error }));
      return;
    }
    this.#lastRefusal = code;
    this.#retryLater();
  }

  #retryLater(): void {
    const { retryEveryMs = defaults.retryEveryMs } = this.#options;
    this.#retryTimer = setTimeout(() => void this.#attempt(), retryEveryMs);
  }

  #opened(raw: Socket): void {
    if (this.#ended !== undefined) {
      raw.terminate();
      return;
    }
    if (this.#options.endpoint.transport === "tcp" && isConnectedToItself(raw)) {
      raw.terminate();
      this.#lastRefusal = "ECONNREFUSED";
      this.#retryLater();
      return;
    }
    this.#raw = raw;
    if (this.#options.endpoint.transport === "tcp") raw.setNoDelay(true);
    this.#connection.start();
  }

  /** Each chunk has a buffer of its own that Bun does not use again (measured), so frames may be views of it. */
  #data(raw: Socket, chunk: Uint8Array): void {
    if (raw !== this.#raw || this.#ended !== undefined) return;
    try {
      this.#connection.receive(chunk);
    } catch (error) {
      if (!(error instanceof ZmtpError)) throw error;
      this.#fail(error);
    }
  }

  #drain(): void {
    if (this.#ended !== undefined) return;
    this.#outbox.flush();
    if (this.#outbox.waitingBytes > 0) return;
    for (const waiter of this.#drainWaiters.splice(0)) waiter.resolve();
  }

  #closedByPeer(raw: Socket, cause: Error | undefined): void {
    if (raw !== this.#raw || this.#ended !== undefined) return;
    let issue = `the peer at ${this.#name} closed the connection`;
    if (!this.#connection.ready)
      issue += " during the handshake (it is ending, or does not accept our socket type)";
    else if (this.#connection.midMessage) issue += " in the middle of a message";
    this.#fail(new ZmtpError("closed", issue, { code: systemCode(cause), cause }));
  }

  #fail(error: ZmtpError): void {
    if (this.#ended !== undefined) return;
    this.#end(error);
    this.#raw?.terminate();
    if (this.#connection.ready) callOut(() => this.#options.onClose(error));
    else this.#connected.reject(error);
  }

  #end(error: ZmtpError): void {
    this.#ended = error;
    clearTimeout(this.#retryTimer);
    this.#connection.stop();
    this.#outbox.clear();
    for (const waiter of this.#drainWaiters.splice(0)) waiter.reject(error);
  }

  get #name(): string {
    return endpointName(this.#options.endpoint);
  }

  #timeout(afterMs: number): ZmtpError {
    return this.#raw === undefined
      ? new ZmtpError("timeout", `nobody listened at ${this.#name} within ${afterMs} ms`, {
          code: this.#lastRefusal,
        })
      : new ZmtpError(
          "timeout",
          `the peer at ${this.#name} did not finish the handshake within ${afterMs} ms`,
        );
  }
}

/** A receiver's bug must be seen, but must not cost the rest of the chunk in which its message arrived. */
function callOut(receiver: () => void): void {
  try {
    receiver();
  } catch (error) {
    rethrowLater(error);
  }
}

function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
