import { describe, expect, test } from "bun:test";
import {
  formatFor,
  jsonFormat,
  V1_PROTOCOL,
  v1Format,
  type WebsocketFormat,
} from "../../../src/kernel/gateway/websocket-format.ts";
import { type KernelMessage, newMessage } from "../../../src/kernel/message.ts";

function messageWith(buffers: readonly Uint8Array[]): KernelMessage {
  const message = newMessage({
    channel: "shell",
    type: "execute_request",
    session: "s",
    content: { code: "print('é \u{1f40d}')" },
  });
  return { ...message, parentHeader: { msg_id: "parent" }, metadata: { kept: true }, buffers };
}

const plain = ({ buffers, ...message }: KernelMessage) => ({
  ...message,
  buffers: buffers.map((buffer) => [...buffer]),
});

function decoded(format: WebsocketFormat, data: string | Uint8Array) {
  const result = format.decode(data);
  return result.ok ? plain(result.message) : result.rejection;
}

describe("messages over a websocket", () => {
  for (const [name, format] of [
    ["v1", v1Format],
    ["JSON", jsonFormat],
  ] as const) {
    test(`come back as they were sent, ${name}`, () => {
      for (const buffers of [[], [new Uint8Array([0, 1, 255])], [new Uint8Array(), new Uint8Array([7])]]) {
        const message = messageWith(buffers);
        expect(decoded(format, format.encode(message))).toEqual(plain(message));
      }
    });

    test(`that are cut, or not messages at all, are rejected and never read beyond their end, ${name}`, () => {
      const whole = Buffer.from(format.encode(messageWith([new Uint8Array([1, 2])])));
      for (let length = 0; length < whole.byteLength; length += 1) {
        const cut = whole.subarray(0, length);
        // The last bytes are a buffer's, whose end the JSON form does not know.
        if (name === "JSON" && length >= whole.byteLength - 2) continue;
        expect(typeof decoded(format, cut)).toBe("string");
      }
      expect(typeof decoded(format, Buffer.alloc(64, 0xff))).toBe("string");
      expect(typeof decoded(format, "no message")).toBe("string");
      expect(typeof decoded(format, "[]")).toBe("string");
    });
  }

  test("v1 is laid out as servers write it", () => {
    const parts = ["iopub", '{"msg_id":"1","msg_type":"status"}', "{}", "{}", '{"execution_state":"idle"}'];
    const offsets = [8 * 7];
    for (const part of parts) offsets.push((offsets.at(-1) ?? 0) + Buffer.byteLength(part));
    const head = Buffer.alloc(8 * 7);
    for (const [index, number] of [offsets.length, ...offsets].entries())
      head.writeBigUInt64LE(BigInt(number), 8 * index);
    const message = decoded(v1Format, Buffer.concat([head, ...parts.map((part) => Buffer.from(part))]));
    expect(message).toMatchObject({ channel: "iopub", content: { execution_state: "idle" }, buffers: [] });
  });

  test("are in the form that the server selected", () => {
    expect(formatFor(V1_PROTOCOL)).toBe(v1Format);
    expect(formatFor("")).toBe(jsonFormat);
  });
});
