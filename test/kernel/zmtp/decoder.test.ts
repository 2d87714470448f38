import { describe, expect, test } from "bun:test";
import {
  Decoder,
  type DecoderLimits,
  MAX_COMMAND_BYTES,
  MAX_FRAMES_PER_MESSAGE,
} from "../../../src/kernel/zmtp/decoder.ts";
import { ZmtpError, type ZmtpErrorKind } from "../../../src/kernel/zmtp/errors.ts";
import { encodeCommand, encodeMessage } from "../../../src/kernel/zmtp/frame.ts";

type Event = { message: Buffer[] } | { command: Buffer };

const roomy: DecoderLimits = { maxFrameBytes: 2 ** 30, maxMessageBytes: 2 ** 30 };

function decoderWith(limits: DecoderLimits = roomy): { decoder: Decoder; events: Event[] } {
  const events: Event[] = [];
  const decoder = new Decoder(limits, {
    message: (frames) => events.push({ message: frames.map((frame) => Buffer.from(frame)) }),
    command: (body) => events.push({ command: Buffer.from(body) }),
  });
  decoder.commandsOnly = false;
  return { decoder, events };
}

function decode(chunks: readonly Uint8Array[], limits?: DecoderLimits): Event[] {
  const { decoder, events } = decoderWith(limits);
  for (const chunk of chunks) decoder.push(chunk);
  return events;
}

function kindThrown(run: () => void): ZmtpErrorKind | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof ZmtpError) return error.kind;
    throw error;
  }
  return undefined;
}

const longer = Buffer.alloc(300, "x");
const stream = Buffer.concat([
  ...encodeMessage([Buffer.from("a")]),
  ...encodeMessage([Buffer.alloc(0), Buffer.from("bc"), longer]),
  encodeCommand(Buffer.from("\x04PINGxx")),
  // A short body with a long length: nobody sends it, everybody has to take it.
  Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 1, 0x64]),
  // A command between two frames of a message.
  Buffer.from([1, 1, 0x65]),
  encodeCommand(Buffer.from("\x04PONG")),
  Buffer.from([0, 0]),
]);
const expected: Event[] = [
  { message: [Buffer.from("a")] },
  { message: [Buffer.alloc(0), Buffer.from("bc"), longer] },
  { command: Buffer.from("\x04PINGxx") },
  { message: [Buffer.from("d")] },
  { command: Buffer.from("\x04PONG") },
  { message: [Buffer.from("e"), Buffer.alloc(0)] },
];

describe("the decoder", () => {
  test("gives the same whether the stream comes at once or byte by byte", () => {
    expect(decode([stream])).toEqual(expected);
    expect(decode([...stream].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  test("gives the same for every way to cut the stream in two", () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      expect(decode([stream.subarray(0, cut), stream.subarray(cut)])).toEqual(expected);
    }
  });

  test("gives the same for every chunk size", () => {
    for (let size = 1; size <= stream.length; size++) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size) chunks.push(stream.subarray(at, at + size));
      expect(decode(chunks)).toEqual(expected);
    }
  });

  test("keeps frames intact that were copied, viewed and put together, after later chunks came", () => {
    const kept: Uint8Array[] = [];
    const decoder = new Decoder(roomy, {
      message: (frames) => kept.push(...frames),
      command: () => undefined,
    });
    decoder.commandsOnly = false;
    const bodies = [1, 10, 100, 1_000, 50_000, 100_000].map((size) => Buffer.alloc(size, `${size}.`));
    const bytes = Buffer.concat(encodeMessage(bodies));
    for (let at = 0; at < bytes.length; at += 60_000)
      decoder.push(Uint8Array.from(bytes.subarray(at, at + 60_000)));
    expect(
      kept.map((frame) => Buffer.from(frame).equals(bodies[kept.indexOf(frame)] ?? Buffer.alloc(0))),
    ).toEqual([true, true, true, true, true, true]);
  });

  test("does not let a small frame keep a large chunk alive", () => {
    const kept: Uint8Array[] = [];
    const decoder = new Decoder(roomy, {
      message: (frames) => kept.push(...frames),
      command: () => undefined,
    });
    decoder.commandsOnly = false;
    decoder.push(Uint8Array.from(Buffer.concat(encodeMessage([Buffer.alloc(100), Buffer.alloc(100_000)]))));
    expect(kept.map((frame) => frame.buffer.byteLength)).toEqual([100, 2 + 100 + 9 + 100_000]);
  });

  test("knows whether the stream stands inside a message", () => {
    const { decoder } = decoderWith();
    const seen = [decoder.midMessage];
    for (const byte of [1, 1, 0x61, 0, 1, 0x62]) {
      decoder.push(Uint8Array.of(byte));
      seen.push(decoder.midMessage);
    }
    expect(seen).toEqual([false, true, true, true, true, true, false]);
  });

  test("delivers nothing after it was stopped from inside an event", () => {
    const seen: Uint8Array[][] = [];
    const decoder = new Decoder(roomy, {
      message: (frames) => {
        seen.push(frames);
        decoder.stop();
      },
      command: () => undefined,
    });
    decoder.commandsOnly = false;
    decoder.push(Buffer.from([0, 1, 0x61, 0, 1, 0x62]));
    decoder.push(Buffer.from([0, 1, 0x63]));
    expect(seen).toEqual([[Uint8Array.of(0x61)]]);
    expect(decoder.midMessage).toBe(false);
  });
});

describe("the decoder refuses", () => {
  test("reserved flags and a command with more to come", () => {
    const refused: number[] = [];
    for (let flags = 0; flags < 256; flags++) {
      if (kindThrown(() => decode([Uint8Array.of(flags)])) === "frame") refused.push(flags);
    }
    const allowed = [0, 1, 2, 3, 4, 6];
    expect(refused).toEqual(
      Array.from({ length: 256 }, (_, flags) => flags).filter((flags) => !allowed.includes(flags)),
    );
  });

  test("a message during the handshake, at its first byte", () => {
    const { decoder } = decoderWith();
    decoder.commandsOnly = true;
    expect(kindThrown(() => decoder.push(Uint8Array.of(0)))).toBe("frame");
  });

  test("a frame one byte over the limit, before any of its body came", () => {
    const limits = { maxFrameBytes: 1000, maxMessageBytes: 10_000 };
    expect(kindThrown(() => decode([Buffer.from([2, 0, 0, 0, 0, 0, 0, 3, 232])], limits))).toBeUndefined();
    expect(kindThrown(() => decode([Buffer.from([2, 0, 0, 0, 0, 0, 0, 3, 233])], limits))).toBe("too-large");
    expect(kindThrown(() => decode([Buffer.from([2, 255, 255, 255, 255, 255, 255, 255, 255])], limits))).toBe(
      "too-large",
    );
    expect(kindThrown(() => decode([Buffer.from([2, 128, 0, 0, 0, 0, 0, 0, 1])], limits))).toBe("too-large");
  });

  test("a message whose frames together are over the limit", () => {
    const limits = { maxFrameBytes: 1000, maxMessageBytes: 1500 };
    const fits = encodeMessage([Buffer.alloc(1000), Buffer.alloc(500)]);
    const over = encodeMessage([Buffer.alloc(1000), Buffer.alloc(501)]);
    expect(decode([...fits, ...fits], limits)).toHaveLength(2);
    expect(kindThrown(() => decode(over, limits))).toBe("too-large");
  });

  test("a message of frames without end", () => {
    const { decoder } = decoderWith();
    const emptyWithMore = Uint8Array.of(1, 0);
    for (let count = 0; count < MAX_FRAMES_PER_MESSAGE; count++) decoder.push(emptyWithMore);
    expect(kindThrown(() => decoder.push(emptyWithMore))).toBe("too-large");
  });

  test("a command larger than any that exists", () => {
    const header = Buffer.alloc(9);
    header[0] = 6;
    header.writeUInt32BE(MAX_COMMAND_BYTES + 1, 5);
    expect(kindThrown(() => decode([header]))).toBe("too-large");
  });
});

describe("a large frame", () => {
  test("is put together from small chunks", () => {
    const body = new Uint8Array(40 * 1024 * 1024);
    for (let at = 0; at < body.length; at += 4096) body[at] = at / 4096;
    const { decoder, events } = decoderWith();
    for (const piece of encodeMessage([body])) {
      for (let at = 0; at < piece.length; at += 65_536) decoder.push(piece.subarray(at, at + 65_536));
    }
    const [only] = events;
    expect(events).toHaveLength(1);
    expect(only !== undefined && "message" in only && only.message[0]?.equals(body)).toBe(true);
  });

  test("that is only claimed does not make us reserve what was claimed", () => {
    const { decoder } = decoderWith();
    decoder.push(Buffer.from([2, 0, 0, 0, 0, 0x40, 0, 0, 0]));
    const reserved = [decoder.reservedBytes];
    const chunk = new Uint8Array(2 ** 20);
    for (let received = 0; received < 17; received++) decoder.push(chunk);
    reserved.push(decoder.reservedBytes);
    expect(reserved).toEqual([16 * 2 ** 20, 128 * 2 ** 20]);
    decoder.stop();
    expect(decoder.reservedBytes).toBe(0);
  });
});
