import { describe, expect, test } from "bun:test";
import { commandFrame, readyFrame } from "../../../src/kernel/zmtp/commands.ts";
import { Connection, type SocketType } from "../../../src/kernel/zmtp/connection.ts";
import { ZmtpError } from "../../../src/kernel/zmtp/errors.ts";
import { encodeMessage } from "../../../src/kernel/zmtp/frame.ts";
import { encodeGreeting } from "../../../src/kernel/zmtp/greeting.ts";

interface Given {
  readonly type?: SocketType;
  readonly identity?: Uint8Array;
  readonly subscriptions?: readonly Uint8Array[];
}

/** A connection whose writes, messages and readiness are written down in the order in which they happen. */
function connectionOf({ type = "DEALER", identity, subscriptions = [] }: Given = {}) {
  const said: string[] = [];
  const connection = new Connection({
    type,
    identity,
    subscriptions,
    limits: { maxFrameBytes: 1000, maxMessageBytes: 1000 },
    write: (bytes) => said.push(`> ${Buffer.from(bytes).toString("latin1")}`),
    onReady: () => said.push("ready"),
    onMessage: (frames) =>
      said.push(`< ${frames.map((frame) => Buffer.from(frame).toString("latin1")).join("|")}`),
  });
  connection.start();
  said.splice(0, 1);
  return { connection, said };
}

function ready(type: string): Uint8Array {
  return readyFrame(new Map([["Socket-Type", Buffer.from(type)]]));
}

function message(...frames: string[]): Uint8Array {
  return Buffer.concat(encodeMessage(frames.map((frame) => Buffer.from(frame))));
}

function connected(given: Given & { peer: string }) {
  const { connection, said } = connectionOf(given);
  connection.receive(encodeGreeting());
  connection.receive(ready(given.peer));
  said.length = 0;
  return { connection, said };
}

function kindThrown(run: () => void): string | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof ZmtpError) return error.kind;
    throw error;
  }
  return undefined;
}

describe("the handshake", () => {
  const ourReady = `> ${Buffer.from(readyFrame(new Map([["Socket-Type", Buffer.from("SUB")]]))).toString("latin1")}`;

  test("says READY after the peer's greeting and subscribes by command after the READY of a 3.1 peer", () => {
    const { connection, said } = connectionOf({
      type: "SUB",
      subscriptions: [Buffer.from("a"), Buffer.alloc(0)],
    });
    connection.receive(encodeGreeting({ major: 3, minor: 1 }));
    expect(said).toEqual([ourReady]);
    connection.receive(ready("XPUB"));
    expect(said).toEqual([ourReady, "> \x04\x0b\x09SUBSCRIBEa", "> \x04\x0a\x09SUBSCRIBE", "ready"]);
  });

  test("subscribes by message at a 3.0 peer", () => {
    const { connection, said } = connectionOf({
      type: "SUB",
      subscriptions: [Buffer.from("a"), Buffer.alloc(0)],
    });
    connection.receive(encodeGreeting({ major: 3, minor: 0 }));
    connection.receive(ready("PUB"));
    expect(said).toEqual([ourReady, "> \x00\x02\x01a", "> \x00\x01\x01", "ready"]);
  });

  test("goes the same way wherever the peer's bytes are cut", () => {
    const bytes = Buffer.concat([encodeGreeting(), ready("ROUTER"), message("a", "b"), message("c")]);
    const whole = connectionOf();
    whole.connection.receive(bytes);
    expect(whole.said.slice(1)).toEqual(["ready", "< a|b", "< c"]);
    for (let cut = 1; cut < bytes.length; cut++) {
      const { connection, said } = connectionOf();
      connection.receive(bytes.subarray(0, cut));
      connection.receive(bytes.subarray(cut));
      expect(said).toEqual(whole.said);
    }
  });

  test("gives the identity to those who route", () => {
    const { connection, said } = connectionOf({ identity: Buffer.from("me") });
    connection.receive(encodeGreeting());
    expect(said).toEqual([
      "> \x04\x2b\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x02me",
    ]);
  });

  test("does not take an identity that the protocol does not allow", () => {
    expect(() => connectionOf({ identity: Buffer.from([0, 1]) })).toThrow(RangeError);
    expect(() => connectionOf({ identity: Buffer.alloc(256, "x") })).toThrow(RangeError);
  });

  test("accepts the socket types that go together and no others", () => {
    const peers = [
      "REQ",
      "REP",
      "DEALER",
      "ROUTER",
      "PUB",
      "XPUB",
      "SUB",
      "XSUB",
      "PUSH",
      "PULL",
      "PAIR",
      "",
    ];
    const accepted = (["DEALER", "SUB", "REQ"] as const).map((type) =>
      peers.filter((peer) => {
        const { connection } = connectionOf({ type });
        connection.receive(encodeGreeting());
        return kindThrown(() => connection.receive(ready(peer))) !== "socket-type";
      }),
    );
    expect(accepted).toEqual([
      ["REP", "DEALER", "ROUTER"],
      ["PUB", "XPUB"],
      ["REP", "ROUTER"],
    ]);
  });

  test("ends with the peer's reason when it says ERROR", () => {
    const { connection } = connectionOf();
    connection.receive(encodeGreeting());
    expect(() => connection.receive(commandFrame("ERROR", Buffer.from("\x07go away")))).toThrow(
      "zmtp: the peer refused the connection: go away (EPROTO)",
    );
  });

  test("refuses a message, or another command, before READY", () => {
    for (const [bytes, kind] of [
      [message("early"), "frame"],
      [commandFrame("PING", Buffer.from("\x00\x00")), "command"],
    ] as const) {
      const { connection } = connectionOf();
      connection.receive(encodeGreeting());
      expect(kindThrown(() => connection.receive(bytes))).toBe(kind);
    }
  });
});

describe("a connection", () => {
  test("answers PING with PONG and its context, also in the middle of a message", () => {
    const { connection, said } = connected({ peer: "ROUTER" });
    connection.receive(Buffer.from([1, 1, 0x61]));
    connection.receive(commandFrame("PING", Buffer.from("\x00\x0actx")));
    connection.receive(Buffer.from([0, 1, 0x62]));
    expect(said).toEqual(["> \x04\x08\x04PONGctx", "< a|b"]);
  });

  test("passes over commands that it does not know", () => {
    const { connection, said } = connected({ peer: "ROUTER" });
    connection.receive(commandFrame("PONG"));
    connection.receive(commandFrame("NEWS", Buffer.from("from the future")));
    connection.receive(message("a"));
    expect(said).toEqual(["< a"]);
  });

  test("refuses a second READY", () => {
    const { connection } = connected({ peer: "ROUTER" });
    expect(kindThrown(() => connection.receive(ready("ROUTER")))).toBe("command");
  });

  test("does not send before the handshake is done, nor a message without frames, nor on SUB", () => {
    expect(() => connectionOf().connection.send([Buffer.from("a")])).toThrow("before the handshake");
    expect(() => connected({ peer: "ROUTER" }).connection.send([])).toThrow("at least one frame");
    const sub = connected({ type: "SUB", peer: "PUB" });
    expect(() => sub.connection.send([Buffer.from("a")])).toThrow("SUB socket");
  });
});

describe("a REQ connection", () => {
  test("puts the empty frame before requests and takes it off replies", () => {
    const { connection, said } = connected({ type: "REQ", peer: "REP" });
    connection.send([Buffer.from("a"), Buffer.from("b")]);
    connection.receive(message("", "c", "d"));
    connection.send([Buffer.from("e")]);
    expect(said).toEqual(["> \x01\x00\x01\x01a\x00\x01b", "< c|d", "> \x01\x00\x00\x01e"]);
  });

  test("has one request under way", () => {
    const { connection } = connected({ type: "REQ", peer: "REP" });
    connection.send([Buffer.from("a")]);
    expect(() => connection.send([Buffer.from("b")])).toThrow("waits for its reply");
  });

  test("refuses replies that nobody asked for or that lack the empty frame", () => {
    const unasked = connected({ type: "REQ", peer: "REP" });
    expect(kindThrown(() => unasked.connection.receive(message("", "c")))).toBe("frame");
    for (const reply of [message("c", "d"), message("")]) {
      const asked = connected({ type: "REQ", peer: "REP" });
      asked.connection.send([Buffer.from("a")]);
      expect(kindThrown(() => asked.connection.receive(reply))).toBe("frame");
    }
  });
});
