/**
 * Commands: the name's length in one byte, the name, then data that depends on the name.
 *
 *   READY      properties: (name length 1 | name | value length 4, big-endian | value) …
 *   SUBSCRIBE  topic
 *   PING       time to live, 2 bytes | context, at most 16 bytes      PONG  the same context
 *   ERROR      reason length 1 | reason
 */

import { ZmtpError } from "./errors.ts";
import { encodeCommand } from "./frame.ts";

export interface Command {
  readonly name: string;
  readonly data: Uint8Array;
}

export function parseCommand(body: Uint8Array): Command {
  const nameEnd = 1 + (body[0] ?? 0);
  if (nameEnd === 1 || nameEnd > body.length) throw malformed("a command without a whole name");
  return { name: latin1(body.subarray(1, nameEnd)), data: body.subarray(nameEnd) };
}

/** The whole frame of a command. */
export function commandFrame(name: string, ...data: readonly Uint8Array[]): Uint8Array {
  return encodeCommand(Buffer.concat([Uint8Array.of(name.length), Buffer.from(name, "latin1"), ...data]));
}

export function readyFrame(properties: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const data: Uint8Array[] = [];
  for (const [name, value] of properties) {
    const valueLength = Buffer.alloc(4);
    valueLength.writeUInt32BE(value.length);
    data.push(Uint8Array.of(name.length), Buffer.from(name, "latin1"), valueLength, value);
  }
  return commandFrame("READY", ...data);
}

/** Names in lower case, because they compare without regard to it. */
export function parseReady(data: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  const properties = new Map<string, Uint8Array>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    if (nameEnd === at + 1 || nameEnd + 4 > bytes.length) throw malformed("READY with a cut property");
    const valueEnd = nameEnd + 4 + bytes.readUInt32BE(nameEnd);
    if (valueEnd > bytes.length) throw malformed("READY with a cut property");
    properties.set(
      latin1(bytes.subarray(at + 1, nameEnd)).toLowerCase(),
      bytes.subarray(nameEnd + 4, valueEnd),
    );
    at = valueEnd;
  }
  return properties;
}

const PING_TTL_BYTES = 2;
const PING_CONTEXT_MAX = 16;

export function pongFrame(pingData: Uint8Array): Uint8Array {
  const contextBytes = pingData.length - PING_TTL_BYTES;
  if (contextBytes < 0 || contextBytes > PING_CONTEXT_MAX) {
    throw malformed(`PING with ${pingData.length} bytes of data`);
  }
  return commandFrame("PONG", pingData.subarray(PING_TTL_BYTES));
}

export function parseErrorReason(data: Uint8Array): string {
  return latin1(data.subarray(1, 1 + (data[0] ?? 0)));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

function malformed(what: string): ZmtpError {
  return new ZmtpError("command", `the peer sent ${what}`);
}
