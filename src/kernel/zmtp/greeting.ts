/**
 * The greeting: 64 bytes that each side sends first, whatever the other says.
 *
 *   FF  8 × padding  7F | major minor | mechanism, 20 bytes, NUL padded | as-server | 31 × filler
 *   0                9    10    11      12                                32          33
 *
 * Owns reading it piece by piece. A peer that is not ours is recognised at the first byte that says so, because an
 * older peer sends fewer than 64 bytes and then waits for us.
 */

import { ZmtpError } from "./errors.ts";

const GREETING_BYTES = 64;

const SIGNATURE_END = 9;
const MAJOR = 10;
const MINOR = 11;
const MECHANISM = 12;
const MECHANISM_BYTES = 20;

export interface Greeting {
  readonly major: number;
  readonly minor: number;
}

export function encodeGreeting({ major, minor }: Greeting = { major: 3, minor: 1 }): Uint8Array {
  const bytes = new Uint8Array(GREETING_BYTES);
  bytes[0] = 0xff;
  bytes[SIGNATURE_END] = 0x7f;
  bytes[MAJOR] = major;
  bytes[MINOR] = minor;
  bytes.set(Buffer.from("NULL"), MECHANISM);
  return bytes;
}

export class GreetingReader {
  readonly #bytes = new Uint8Array(GREETING_BYTES);
  #have = 0;

  /** The greeting once its last byte has arrived; undefined before. Throws a ZmtpError for a peer that is not ours. */
  greeting: Greeting | undefined;

  /** Takes its share of the chunk and returns how many bytes that was; the rest belongs to the frame decoder. */
  push(chunk: Uint8Array): number {
    const taken = Math.min(chunk.length, GREETING_BYTES - this.#have);
    this.#bytes.set(chunk.subarray(0, taken), this.#have);
    this.#have += taken;
    this.#check();
    return taken;
  }

  #check(): void {
    const bytes = this.#bytes;
    // The padding is not looked at: old peers put the length of their identity there, and the protocol says not to.
    if (this.#have > 0 && bytes[0] !== 0xff) throw notZmtp(bytes.subarray(0, this.#have));
    if (this.#have > SIGNATURE_END && bytes[SIGNATURE_END] !== 0x7f) {
      throw notZmtp(bytes.subarray(0, this.#have));
    }
    const major = bytes[MAJOR] ?? 0;
    if (this.#have > MAJOR && major < 3) {
      // In ZMTP 2.0 this byte is a revision counted from 0, which was 1.
      throw new ZmtpError("version", `the peer speaks ZMTP ${major + 1} or older; 3.0 is needed`);
    }
    if (this.#have < GREETING_BYTES) return;

    const field = bytes.subarray(MECHANISM, MECHANISM + MECHANISM_BYTES);
    const mechanism = Buffer.from(field).toString("latin1").replace(/\0+$/, "");
    if (mechanism !== "NULL") {
      throw new ZmtpError(
        "mechanism",
        `the peer wants the security mechanism ${JSON.stringify(mechanism)}; only NULL is spoken here`,
      );
    }
    this.greeting = { major, minor: bytes[MINOR] ?? 0 };
  }
}

function notZmtp(seen: Uint8Array): ZmtpError {
  const hex = Buffer.from(seen.subarray(0, 16)).toString("hex");
  return new ZmtpError("greeting", `what listens there does not speak ZMTP (it began with ${hex})`);
}
