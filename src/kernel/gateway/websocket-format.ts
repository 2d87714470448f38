/**
 * A message as it travels over a gateway's websocket. Owns bytes ⇄ message; the gateway signs towards the kernel, nothing is signed
 * here.
 *
 *   v1      count offset[count] channel header parent_header metadata content [buffer …]     64-bit little-endian numbers
 *   JSON    one object as text, or, with buffers: count offset[count] object [buffer …]       32-bit big-endian numbers
 *
 * Offsets count from the first byte; v1 has one more, the end of the last part.
 */

import { asRecord, parseJson } from "../../protocol/record.ts";
import { messageFrom, messageOf, partsOf, type WireResult } from "../jupyter/wire.ts";
import type { Channel, KernelMessage } from "../message.ts";

export const V1_PROTOCOL = "v1.kernel.websocket.jupyter.org";

/** More parts than a message with a few thousand buffers has are not from a gateway. */
const MAX_PARTS = 65_536;
const V1_PARTS = 4;

export interface WebsocketFormat {
  encode(message: KernelMessage): string | Uint8Array;
  decode(data: string | Uint8Array): WireResult;
}

/** By the subprotocol that the server selected; none means the older form. */
export function formatFor(protocol: string): WebsocketFormat {
  return protocol === V1_PROTOCOL ? v1Format : jsonFormat;
}

export const v1Format: WebsocketFormat = {
  encode: (message) => {
    const parts = [Buffer.from(message.channel), ...partsOf(message), ...message.buffers];
    const head = Buffer.alloc(8 * (parts.length + 2));
    head.writeBigUInt64LE(BigInt(parts.length + 1), 0);
    let offset = head.byteLength;
    for (const [index, part] of [...parts, undefined].entries()) {
      head.writeBigUInt64LE(BigInt(offset), 8 * (index + 1));
      offset += part?.byteLength ?? 0;
    }
    return Buffer.concat([head, ...parts]);
  },
  decode: (data) => {
    if (typeof data === "string") return { ok: false, rejection: "no delimiter" };
    const bytes = bufferOf(data);
    const offsets = offsetsOf(bytes, { width: 8, read: (at) => Number(bytes.readBigUInt64LE(at)) });
    if (!offsets) return { ok: false, rejection: "no delimiter" };
    const [channel, ...parts] = slices(bytes, offsets);
    const name = channelOf(channel?.toString());
    if (!name) return { ok: false, rejection: "not a header" };
    return messageOf(name, parts.slice(0, V1_PARTS), parts.slice(V1_PARTS));
  },
};

export const jsonFormat: WebsocketFormat = {
  encode: (message) => {
    const { channel, header, parentHeader, metadata, content, buffers } = message;
    const text = JSON.stringify({ channel, header, parent_header: parentHeader, metadata, content });
    if (buffers.length === 0) return text;
    const parts = [Buffer.from(text), ...buffers];
    const head = Buffer.alloc(4 * (parts.length + 1));
    head.writeUInt32BE(parts.length, 0);
    let offset = head.byteLength;
    for (const [index, part] of parts.entries()) {
      head.writeUInt32BE(offset, 4 * (index + 1));
      offset += part.byteLength;
    }
    return Buffer.concat([head, ...parts]);
  },
  decode: (data) => {
    if (typeof data === "string") return fromJson(data, []);
    const bytes = bufferOf(data);
    const offsets = offsetsOf(bytes, { width: 4, read: (at) => bytes.readUInt32BE(at) });
    if (!offsets) return { ok: false, rejection: "no delimiter" };
    const [text, ...buffers] = slices(bytes, [...offsets, bytes.byteLength]);
    return fromJson(text?.toString() ?? "", buffers);
  },
};

function fromJson(text: string, buffers: readonly Uint8Array[]): WireResult {
  const value = parseJson(text);
  if (value === undefined) return { ok: false, rejection: "not JSON" };
  const whole = asRecord(value);
  const channel = channelOf(whole["channel"]);
  if (!channel) return { ok: false, rejection: "not a header" };
  const parts = ["header", "parent_header", "metadata", "content"].map((name) => asRecord(whole[name]));
  return messageFrom(channel, parts, buffers);
}

/** Undefined when they are not offsets into these bytes: checked before anything is taken from there. */
function offsetsOf(
  bytes: Buffer,
  { width, read }: { readonly width: number; readonly read: (at: number) => number },
): number[] | undefined {
  if (bytes.byteLength < width) return undefined;
  const count = read(0);
  const headBytes = width * (count + 1);
  if (count < 1 || count > MAX_PARTS || headBytes > bytes.byteLength) return undefined;
  const offsets = Array.from({ length: count }, (_, index) => read(width * (index + 1)));
  const isInOrder = offsets.every((offset, index) => offset >= (offsets[index - 1] ?? headBytes));
  return isInOrder && (offsets.at(-1) ?? 0) <= bytes.byteLength ? offsets : undefined;
}

function slices(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  return offsets.slice(0, -1).map((start, index) => bytes.subarray(start, offsets[index + 1]));
}

function bufferOf(data: Uint8Array): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

function channelOf(name: unknown): Channel | undefined {
  return name === "shell" || name === "iopub" || name === "control" || name === "stdin" ? name : undefined;
}
