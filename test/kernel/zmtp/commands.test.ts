import { expect, test } from "bun:test";
import {
  commandFrame,
  parseCommand,
  parseErrorReason,
  parseReady,
  pongFrame,
  readyFrame,
} from "../../../src/kernel/zmtp/commands.ts";
import { ZmtpError } from "../../../src/kernel/zmtp/errors.ts";

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

test("READY carries its properties there and back", () => {
  const frame = readyFrame(
    new Map([
      ["Socket-Type", Buffer.from("DEALER")],
      ["Identity", Buffer.alloc(0)],
    ]),
  );
  expect(text(frame)).toBe(
    "\x04\x29\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00",
  );
  const { name, data } = parseCommand(frame.subarray(2));
  expect(name).toBe("READY");
  expect([...parseReady(data)].map(([key, value]) => [key, text(value)])).toEqual([
    ["socket-type", "DEALER"],
    ["identity", ""],
  ]);
});

test("a command, a property or a PING that is cut short or too long is refused", () => {
  const malformed = [
    () => parseCommand(new Uint8Array(0)),
    () => parseCommand(Uint8Array.of(0)),
    () => parseCommand(Buffer.from("\x05REA")),
    () => parseReady(Buffer.from("\x00\x00\x00\x00\x00")),
    () => parseReady(Buffer.from("\x01a\x00\x00")),
    () => parseReady(Buffer.from("\x01a\x00\x00\x00\x02b")),
    () => parseReady(Buffer.from("\x01a\xff\xff\xff\xffb", "latin1")),
    () => pongFrame(Uint8Array.of(0)),
    () => pongFrame(new Uint8Array(2 + 17)),
  ];
  const kinds = malformed.map((run) => {
    try {
      run();
      return "taken";
    } catch (error) {
      return error instanceof ZmtpError ? error.kind : "bug";
    }
  });
  expect(kinds).toEqual(malformed.map(() => "command"));
});

test("PONG gives back the context of PING, without its time to live", () => {
  expect(text(pongFrame(Buffer.from("\x00\x0acontext")))).toBe("\x04\x0c\x04PONGcontext");
  expect(text(pongFrame(Buffer.from("\x00\x0a")))).toBe("\x04\x05\x04PONG");
});

test("SUBSCRIBE is a name and a topic", () => {
  expect(text(commandFrame("SUBSCRIBE", Buffer.from("topic")))).toBe("\x04\x0f\x09SUBSCRIBEtopic");
});

test("the reason of an ERROR is read as far as it goes", () => {
  expect(parseErrorReason(Buffer.from("\x04nope"))).toBe("nope");
  expect(parseErrorReason(Buffer.from("\x09nope"))).toBe("nope");
  expect(parseErrorReason(new Uint8Array(0))).toBe("");
});
