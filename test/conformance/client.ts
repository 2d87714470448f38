/** The client's side of a test: a socket with an inbox that keeps what arrives and lets a test wait for it. */

import { ZmtpError, type ZmtpOptions, ZmtpSocket } from "../../src/kernel/zmtp/index.ts";

export type ClientOptions = Pick<ZmtpOptions, "type" | "endpoint"> & Partial<ZmtpOptions>;

export async function connected(options: ClientOptions): Promise<{ inbox: Inbox; socket: ZmtpSocket }> {
  const inbox = new Inbox();
  const { onMessage, onClose } = inbox;
  const socket = await ZmtpSocket.connect({ connectTimeoutMs: 20_000, onMessage, onClose, ...options });
  return { inbox, socket };
}

/** The ZmtpError with which it fails. */
export async function rejection(promise: Promise<unknown>): Promise<ZmtpError> {
  const reason = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (reason instanceof ZmtpError) return reason;
  throw new Error("a ZmtpError was expected", { cause: reason });
}

export class Inbox {
  readonly messages: Uint8Array[][] = [];
  readonly #closed = Promise.withResolvers<ZmtpError | undefined>();
  /** How often `onClose` was called. */
  closings = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #arrived = Promise.withResolvers<void>();

  /** Resolves with what `onClose` was given. */
  readonly closed: Promise<ZmtpError | undefined> = this.#closed.promise;

  readonly onMessage = (frames: Uint8Array[]): void => {
    this.messages.push(frames);
    if (this.messages.length >= this.#wanted) this.#arrived.resolve();
  };

  readonly onClose = (error: ZmtpError | undefined): void => {
    this.closings++;
    this.#closed.resolve(error);
    this.#arrived.reject(error ?? new Error("closed while messages were awaited"));
    this.#arrived.promise.catch(() => undefined);
  };

  /** Resolves once that many messages are here in all; rejects if the connection ends first. */
  async count(wanted: number): Promise<Uint8Array[][]> {
    this.#wanted = wanted;
    if (this.messages.length < wanted) await this.#arrived.promise;
    this.#arrived = Promise.withResolvers();
    return this.messages;
  }
}

export function texts(messages: readonly (readonly Uint8Array[])[]): string[][] {
  return messages.map((frames) => frames.map((frame) => Buffer.from(frame).toString("latin1")));
}

/** A body whose every byte depends on its place, so that a lost or doubled piece shows. */
export function patterned(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at++) bytes[at] = at * 31 + (at >>> 8) * 17 + (at >>> 16) * 7;
  return bytes;
}

/** The same bytes? Without the megabytes of output that a failing `toEqual` would print. */
export function same(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && Buffer.compare(one, other) === 0;
}

export function numbered(index: number, size = 4): Uint8Array {
  const bytes = Buffer.alloc(Math.max(4, size), index);
  bytes.writeUInt32BE(index, 0);
  return bytes;
}
