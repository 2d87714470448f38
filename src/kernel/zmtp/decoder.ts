/**
 * Bytes in, multipart messages and commands out. No socket inside; chunks may be cut anywhere.
 *
 * Owns the limits: a length is checked before anything is reserved for it. After it has thrown, a decoder is not to be
 * used again, because the stream has no mark at which to start again.
 */

import { FrameAssembly } from "./assembly.ts";
import { ZmtpError } from "./errors.ts";
import { COMMAND, LONG, MORE } from "./frame.ts";

export interface DecoderLimits {
  readonly maxFrameBytes: number;
  readonly maxMessageBytes: number;
}

export interface DecoderEvents {
  message(frames: Uint8Array[]): void;
  command(body: Uint8Array): void;
}

/** Without it, empty frames that all announce another one would grow a message for ever below any byte limit. */
export const MAX_FRAMES_PER_MESSAGE = 65_536;

/** Commands carry a few properties; nothing that a peer has to say in one comes near this. */
export const MAX_COMMAND_BYTES = 64 * 1024;

const KNOWN_FLAGS = MORE | LONG | COMMAND;
const LONG_HEADER_BYTES = 9;

/**
 * A frame that lies wholly within a chunk is a view of it, unless it is less than this part of the chunk: then it is copied.
 * A receiver that keeps a ten-byte frame would otherwise keep the chunk, up to half a megabyte, alive with it. Measured,
 * a copy up to 100 bytes costs what making a view costs, and one of 16 KB about a microsecond.
 */
const VIEW_SHARE = 8;

/** Shared by all empty frames: there is nothing in it that a receiver could change. */
const EMPTY = new Uint8Array(0);

export class Decoder {
  readonly #limits: DecoderLimits;
  readonly #events: DecoderEvents;
  /** The start of a header whose rest is in the next chunk. */
  readonly #header = new Uint8Array(LONG_HEADER_BYTES);
  #headerHave = 0;
  #assembly: FrameAssembly | undefined;
  #frames: Uint8Array[] = [];
  #messageBytes = 0;
  #stopped = false;

  /** True until the handshake is done: a message before that is an error at its first byte. */
  commandsOnly = true;

  constructor(limits: DecoderLimits, events: DecoderEvents) {
    this.#limits = limits;
    this.#events = events;
  }

  /** Whether the stream is inside a message or frame: if it ends now, something is missing. */
  get midMessage(): boolean {
    return this.#headerHave > 0 || this.#assembly !== undefined || this.#frames.length > 0;
  }

  /** What is reserved for the frame that is arriving. */
  get reservedBytes(): number {
    return this.#assembly?.reservedBytes ?? 0;
  }

  /** From inside an event: nothing more is delivered, even if it has already arrived. */
  stop(): void {
    this.#stopped = true;
    this.#assembly = undefined;
    this.#frames = [];
  }

  /** The chunk must not change afterwards: frames are views of it. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length && !this.#stopped) {
      if (this.#assembly !== undefined) {
        at = this.#assembly.fill(chunk, at);
        this.#finishAssembly();
      } else if (this.#headerHave > 0 || !holdsHeader(chunk, at)) {
        at = this.#collectHeader(chunk, at);
      } else {
        const flags = chunk[at] ?? 0;
        const length = readLength(chunk, at);
        at = this.#body(flags, length, chunk, at + headerBytes(flags));
      }
    }
  }

  /** One byte at a time: this happens at most once a chunk. */
  #collectHeader(chunk: Uint8Array, at: number): number {
    this.#header[this.#headerHave++] = chunk[at] ?? 0;
    const flags = this.#header[0] ?? 0;
    if (this.#headerHave === 1) this.#checkFlags(flags);
    if (this.#headerHave < headerBytes(flags)) return at + 1;
    this.#headerHave = 0;
    return this.#body(flags, readLength(this.#header, 0), chunk, at + 1);
  }

  #body(flags: number, length: number, chunk: Uint8Array, at: number): number {
    this.#checkFlags(flags);
    this.#checkLength(flags, length);
    if (length > chunk.length - at) {
      this.#assembly = new FrameAssembly(flags, length);
      return at;
    }
    const end = at + length;
    this.#frame(flags, length === 0 ? EMPTY : take(chunk, at, end));
    return end;
  }

  #finishAssembly(): void {
    const assembly = this.#assembly;
    if (assembly === undefined || !assembly.complete) return;
    this.#assembly = undefined;
    this.#frame(assembly.flags, assembly.body);
  }

  #frame(flags: number, body: Uint8Array): void {
    if ((flags & COMMAND) !== 0) {
      this.#events.command(body);
      return;
    }
    this.#frames.push(body);
    if ((flags & MORE) !== 0) {
      this.#messageBytes += body.length;
      return;
    }
    const frames = this.#frames;
    this.#frames = [];
    this.#messageBytes = 0;
    this.#events.message(frames);
  }

  #checkFlags(flags: number): void {
    if ((flags & ~KNOWN_FLAGS) !== 0 || (flags & (COMMAND | MORE)) === (COMMAND | MORE)) {
      throw new ZmtpError("frame", `a frame has the flags 0x${flags.toString(16).padStart(2, "0")}`);
    }
    if (this.commandsOnly && (flags & COMMAND) === 0) {
      throw new ZmtpError("frame", "the peer sent a message before its READY");
    }
    // Commands between the frames of a message are let through: libzmq puts its heartbeats there.
  }

  #checkLength(flags: number, length: number): void {
    if ((flags & COMMAND) !== 0) {
      if (length <= MAX_COMMAND_BYTES) return;
      throw new ZmtpError("too-large", `a command of ${length} bytes; the limit is ${MAX_COMMAND_BYTES}`);
    }
    const { maxFrameBytes, maxMessageBytes } = this.#limits;
    if (length > maxFrameBytes) {
      throw new ZmtpError("too-large", `a frame of ${length} bytes; the limit is ${maxFrameBytes}`);
    }
    if (this.#messageBytes + length > maxMessageBytes) {
      const total = this.#messageBytes + length;
      throw new ZmtpError(
        "too-large",
        `a message of ${total} bytes or more; the limit is ${maxMessageBytes}`,
      );
    }
    if (this.#frames.length >= MAX_FRAMES_PER_MESSAGE) {
      throw new ZmtpError("too-large", `a message of more than ${MAX_FRAMES_PER_MESSAGE} frames`);
    }
  }
}

function headerBytes(flags: number): number {
  return (flags & LONG) !== 0 ? LONG_HEADER_BYTES : 2;
}

function holdsHeader(chunk: Uint8Array, at: number): boolean {
  return chunk.length - at >= headerBytes(chunk[at] ?? 0);
}

function readLength(bytes: Uint8Array, at: number): number {
  if (((bytes[at] ?? 0) & LONG) === 0) return bytes[at + 1] ?? 0;
  // Beyond 2^53 the sum is no longer exact, but far above every limit.
  let length = 0;
  for (let index = at + 1; index <= at + 8; index++) length = length * 256 + (bytes[index] ?? 0);
  return length;
}

function take(chunk: Uint8Array, from: number, to: number): Uint8Array {
  return (to - from) * VIEW_SHARE < chunk.length
    ? Uint8Array.prototype.slice.call(chunk, from, to)
    : chunk.subarray(from, to);
}
