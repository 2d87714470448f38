/**
 * A message as ZeroMQ frames, signed. Owns bytes ⇄ message; knows no socket.
 *
 *   [identity …] "<IDS|MSG>" signature header parent_header metadata content [buffer …]
 *                                      └────────── signed, in this order ─────────┘
 *
 * Reading goes from cheap and safe to expensive: the shape, then the sizes, then the signature, and only then JSON. A message that
 * fails is dropped and counted by the caller; nothing of it is parsed.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import { isRecord } from "../../protocol/record.ts";
import type { Channel, KernelMessage, MessageContent, MessageHeader } from "../message.ts";

const DELIMITER = Buffer.from("<IDS|MSG>");
const SIGNED_FRAMES = 4;
/** A header is a few hundred bytes; larger ones are not from a kernel. */
const MAX_HEADER_BYTES = 1 << 20;

/** Why a message was dropped. */
export type Rejection =
  | "no delimiter"
  | "too few frames"
  | "header too large"
  | "bad signature"
  | "not JSON"
  | "not a header";

export type WireResult =
  | { readonly ok: true; readonly message: KernelMessage }
  | { readonly ok: false; readonly rejection: Rejection };

/** Digests that a `signature_scheme` may name: those that Python's hashlib and Bun both have under the same name. */
const DIGESTS = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

export function isDigest(name: string): boolean {
  return DIGESTS.includes(name);
}

/** Signs and checks with one key. An empty key means unsigned, as the protocol has it. */
export class WireFormat {
  readonly #key: string;
  readonly #digest: string;

  constructor(key: string, digest = "sha256") {
    this.#key = key;
    this.#digest = digest;
  }

  encode(message: KernelMessage): Uint8Array[] {
    const signed = partsOf(message);
    return [DELIMITER, Buffer.from(this.#signatureOf(signed)), ...signed, ...message.buffers];
  }

  decode(channel: Channel, frames: readonly Uint8Array[]): WireResult {
    const delimiter = frames.findIndex((frame) => DELIMITER.equals(frame));
    if (delimiter < 0) return { ok: false, rejection: "no delimiter" };
    const signature = frames[delimiter + 1];
    const signed = frames.slice(delimiter + 2, delimiter + 2 + SIGNED_FRAMES);
    const [header, parentHeader, metadata, content] = signed;
    if (!signature || !header || !parentHeader || !metadata || !content) {
      return { ok: false, rejection: "too few frames" };
    }
    if (header.byteLength > MAX_HEADER_BYTES || parentHeader.byteLength > MAX_HEADER_BYTES) {
      return { ok: false, rejection: "header too large" };
    }
    if (!this.#isSignature(signature, signed)) return { ok: false, rejection: "bad signature" };
    return messageOf(channel, signed, frames.slice(delimiter + 2 + SIGNED_FRAMES));
  }

  #signatureOf(parts: readonly Uint8Array[]): string {
    if (this.#key === "") return "";
    const hmac = createHmac(this.#digest, this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest("hex");
  }

  #isSignature(signature: Uint8Array, parts: readonly Uint8Array[]): boolean {
    const expected = Buffer.from(this.#signatureOf(parts));
    return signature.byteLength === expected.byteLength && timingSafeEqual(signature, expected);
  }
}

/** Header, parent header, metadata and content, each as JSON. */
export function partsOf({ header, parentHeader, metadata, content }: KernelMessage): Buffer[] {
  return [header, parentHeader, metadata, content].map((part) => Buffer.from(JSON.stringify(part)));
}

/** Reads what `partsOf` writes. */
export function messageOf(
  channel: Channel,
  [header, parentHeader, metadata, content]: readonly Uint8Array[],
  buffers: readonly Uint8Array[],
): WireResult {
  if (!header || !parentHeader || !metadata || !content) return { ok: false, rejection: "too few frames" };
  try {
    return messageFrom(channel, [header, parentHeader, metadata, content].map(parseObject), buffers);
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, rejection: "not JSON" };
    throw error;
  }
}

/** From the four parts, parsed but not checked yet. */
export function messageFrom(
  channel: Channel,
  [header = {}, parentHeader = {}, metadata = {}, content = {}]: readonly MessageContent[],
  buffers: readonly Uint8Array[],
): WireResult {
  if (!isHeader(header) || !isParentHeader(parentHeader)) return { ok: false, rejection: "not a header" };
  return { ok: true, message: { channel, header, parentHeader, metadata, content, buffers } };
}

const utf8 = new TextDecoder();

/** What later code relies on. The user's code can sign anything, so a signature proves nothing about the shape. */
function isHeader(value: object): value is MessageHeader {
  return (
    "msg_id" in value &&
    typeof value.msg_id === "string" &&
    "msg_type" in value &&
    typeof value.msg_type === "string"
  );
}

function isParentHeader(value: object): value is Partial<MessageHeader> {
  return !("msg_id" in value) || typeof value.msg_id === "string";
}

function parseObject(frame: Uint8Array): MessageContent {
  const value: unknown = JSON.parse(utf8.decode(frame));
  if (!isRecord(value)) throw new SyntaxError("not an object");
  return value;
}
