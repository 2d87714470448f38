/** Our sockets against peers that libzmq would never be: made of garbage, of lies, of silence, or of an older version. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { encodeMessage } from "../../src/kernel/zmtp/frame.ts";
import { encodeGreeting } from "../../src/kernel/zmtp/greeting.ts";
import type { ZmtpErrorKind } from "../../src/kernel/zmtp/index.ts";
import { temporaryDirectory } from "../support/home.ts";
import { connected, rejection, texts } from "./client.ts";
import { errorCommand, FakePeer, ping, readyOf } from "./fake-peer.ts";

const greeting = encodeGreeting();
const dealerReady = 2 + Buffer.byteLength(".READY.Socket-Type....DEALER.Identity....");

function message(...frames: string[]): Uint8Array {
  return Buffer.concat(encodeMessage(frames.map((frame) => Buffer.from(frame))));
}

/** A frame that claims to be that long, and only its head. */
function claim(bytes: bigint): Uint8Array {
  const head = Buffer.alloc(9);
  head[0] = 2;
  head.writeBigUInt64BE(bytes, 1);
  return head;
}

function oldGreeting(): Uint8Array {
  return Buffer.from([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 1, 5]);
}

function curveGreeting(): Uint8Array {
  const bytes = encodeGreeting();
  bytes.set(Buffer.from("CURVE"), 12);
  return bytes;
}

describe("connecting fails, with a reason, and hangs up", () => {
  const cases: { what: string; says: readonly Uint8Array[]; kind: ZmtpErrorKind; line: string }[] = [
    {
      what: "something that is not ZMTP",
      says: [Buffer.from("SSH-2.0-OpenSSH_9.6\r\n")],
      kind: "greeting",
      line: "zmtp: what listens there does not speak ZMTP (it began with 5353482d322e302d4f70656e5353485f) (EPROTO)",
    },
    {
      what: "a peer of ZMTP 2.0",
      says: [oldGreeting()],
      kind: "version",
      line: "zmtp: the peer speaks ZMTP 2 or older; 3.0 is needed (EPROTONOSUPPORT)",
    },
    {
      what: "a peer with another mechanism",
      says: [curveGreeting()],
      kind: "mechanism",
      line: 'zmtp: the peer wants the security mechanism "CURVE"; only NULL is spoken here (EPROTONOSUPPORT)',
    },
    {
      what: "a peer of the wrong type",
      says: [greeting, readyOf("PUB")],
      kind: "socket-type",
      line: 'zmtp: the peer is "PUB"; DEALER talks to ROUTER or REP or DEALER (EPROTOTYPE)',
    },
    {
      what: "a peer that says ERROR",
      says: [greeting, errorCommand("no room")],
      kind: "peer-error",
      line: "zmtp: the peer refused the connection: no room (EPROTO)",
    },
    {
      what: "a peer that sends a message before READY",
      says: [greeting, message("early")],
      kind: "frame",
      line: "zmtp: the peer sent a message before its READY (EPROTO)",
    },
    {
      what: "a greeting followed by noise",
      says: [greeting, Buffer.from("noise")],
      kind: "frame",
      line: "zmtp: a frame has the flags 0x6e (EPROTO)",
    },
  ];
  for (const { what, says, kind, line } of cases) {
    test(what, async () => {
      using peer = new FakePeer();
      const connecting = rejection(connected({ type: "DEALER", endpoint: peer.endpoint }));
      await peer.say(...says);
      const error = await connecting;
      expect({ kind: error.kind, line: error.message }).toEqual({ kind, line });
      await peer.clientGone;
    });
  }

  test("a peer that hangs up during the handshake", async () => {
    using peer = new FakePeer();
    const connecting = rejection(connected({ type: "DEALER", endpoint: peer.endpoint }));
    await peer.say(greeting);
    await peer.hangUp();
    const error = await connecting;
    expect(error.kind).toBe("closed");
    expect(error.issue).toEndWith("during the handshake (it is ending, or does not accept our socket type)");
  });

  test("a peer that accepts and says nothing, when the time is up", async () => {
    using peer = new FakePeer();
    const { endpoint } = peer;
    const error = await rejection(connected({ type: "DEALER", endpoint, connectTimeoutMs: 50 }));
    expect(error.kind).toBe("timeout");
    expect(error.message).toEndWith("did not finish the handshake within 50 ms (ETIMEDOUT)");
    await peer.clientGone;
  });

  test("nobody, when the time is up", async () => {
    const endpoint = { transport: "ipc", path: join(temporaryDirectory(), "nobody") } as const;
    const error = await rejection(connected({ type: "DEALER", endpoint, connectTimeoutMs: 50 }));
    expect(error.kind).toBe("timeout");
    expect(error.message).toBe(`zmtp: nobody listened at ipc://${endpoint.path} within 50 ms (ENOENT)`);
  });

  test("nobody, when the caller gives up, before or during", async () => {
    const endpoint = { transport: "ipc", path: join(temporaryDirectory(), "nobody") } as const;
    const during = new AbortController();
    const connecting = rejection(connected({ type: "DEALER", endpoint, signal: during.signal }));
    during.abort();
    const errors = [
      await connecting,
      await rejection(connected({ type: "DEALER", endpoint, signal: AbortSignal.abort() })),
    ];
    const line = `zmtp: connecting to ipc://${endpoint.path} was given up (ECANCELED)`;
    expect(errors.map(({ kind, message }) => ({ kind, message }))).toEqual([
      { kind: "aborted", message: line },
      { kind: "aborted", message: line },
    ]);
  });

  test("an address for which waiting does not help, at once", async () => {
    const path = join(temporaryDirectory(), "x".repeat(100));
    const error = await rejection(connected({ type: "DEALER", endpoint: { transport: "ipc", path } }));
    const hint = `its path of ${path.length} bytes is too long for a unix socket`;
    expect({ kind: error.kind, line: error.message }).toEqual({
      kind: "unreachable",
      line: `zmtp: can not connect to ipc://${path}: ${hint} (EINVAL)`,
    });
  });
});

describe("the handshake", () => {
  test("says nothing but greeting and READY until the peer's READY is there", async () => {
    using peer = new FakePeer();
    const subscriptions = [Buffer.from("topic")];
    const connecting = connected({ type: "SUB", endpoint: peer.endpoint, subscriptions });
    expect(await peer.hears(64)).toEqual(Buffer.from(greeting));
    expect(peer.unheard).toHaveLength(0);
    await peer.say(greeting);
    const ready = readyOf("SUB");
    expect(await peer.hears(ready.length)).toEqual(Buffer.from(ready));
    expect(peer.unheard).toHaveLength(0);
    await peer.say(readyOf("XPUB"));
    const { socket } = await connecting;
    expect((await peer.hears(17)).toString("latin1")).toBe("\x04\x0f\x09SUBSCRIBEtopic");
    socket.close();
    await peer.clientGone;
    expect(peer.unheard).toHaveLength(0);
  });

  test("goes through byte by byte, and so do messages", async () => {
    using peer = new FakePeer();
    const connecting = connected({ type: "DEALER", endpoint: peer.endpoint });
    await peer.spell(
      Buffer.concat([greeting, readyOf("ROUTER"), message("a", "", "b".repeat(300)), message("c")]),
    );
    const { inbox, socket } = await connecting;
    expect(texts(await inbox.count(2))).toEqual([["a", "", "b".repeat(300)], ["c"]]);
    socket.close();
  });

  test("takes a 3.0 peer and subscribes in its way", async () => {
    using peer = new FakePeer();
    const subscriptions = [Buffer.from("topic")];
    const connecting = connected({ type: "SUB", endpoint: peer.endpoint, subscriptions });
    await peer.say(encodeGreeting({ major: 3, minor: 0 }), readyOf("PUB"), message("topic", "news"));
    const { inbox, socket } = await connecting;
    await peer.hears(64 + readyOf("SUB").length);
    expect((await peer.hears(8)).toString("latin1")).toBe("\x00\x06\x01topic");
    expect(texts(await inbox.count(1))).toEqual([["topic", "news"]]);
    socket.close();
  });

  test("loses nothing that comes in one piece with READY", async () => {
    using peer = new FakePeer();
    const connecting = connected({ type: "DEALER", endpoint: peer.endpoint });
    await peer.say(Buffer.concat([greeting, readyOf("ROUTER"), message("first"), message("second")]));
    const { inbox, socket } = await connecting;
    expect(texts(inbox.messages)).toEqual([["first"], ["second"]]);
    socket.close();
  });

  test("is not undone by a signal that comes after it", async () => {
    using peer = new FakePeer();
    const caller = new AbortController();
    const connecting = connected({ type: "DEALER", endpoint: peer.endpoint, signal: caller.signal });
    await peer.say(greeting, readyOf("ROUTER"));
    const { inbox, socket } = await connecting;
    caller.abort();
    await peer.say(message("still"));
    expect(texts(await inbox.count(1))).toEqual([["still"]]);
    socket.close();
  });
});

describe("a connection", () => {
  async function established(peer: FakePeer, options: { maxFrameBytes?: number } = {}) {
    const connecting = connected({ type: "DEALER", endpoint: peer.endpoint, ...options });
    await peer.say(greeting, readyOf("ROUTER"));
    const client = await connecting;
    await peer.hears(64 + dealerReady);
    return client;
  }

  test("answers PING with PONG and its context", async () => {
    using peer = new FakePeer();
    const { socket } = await established(peer);
    await peer.say(ping("0123456789abcdef"), ping(""));
    expect((await peer.hears(2 + 5 + 16 + 2 + 5)).toString("latin1")).toBe(
      "\x04\x15\x04PONG0123456789abcdef\x04\x05\x04PONG",
    );
    socket.close();
  });

  const endings: { what: string; says: Uint8Array; kind: ZmtpErrorKind; line: string }[] = [
    {
      what: "a frame beyond the limit, before its body",
      says: claim(1001n),
      kind: "too-large",
      line: "zmtp: a frame of 1001 bytes; the limit is 1000 (EMSGSIZE)",
    },
    {
      what: "a frame with an impossible length",
      says: claim(2n ** 63n),
      kind: "too-large",
      line: "zmtp: a frame of 9223372036854776000 bytes; the limit is 1000 (EMSGSIZE)",
    },
    {
      what: "flags that do not exist",
      says: Uint8Array.of(0x80),
      kind: "frame",
      line: "zmtp: a frame has the flags 0x80 (EPROTO)",
    },
    {
      what: "a late ERROR",
      says: errorCommand("enough"),
      kind: "peer-error",
      line: "zmtp: the peer refused the connection: enough (EPROTO)",
    },
    {
      what: "a PING that is none",
      says: ping("a context of more than 16 bytes"),
      kind: "command",
      line: "zmtp: the peer sent PING with 33 bytes of data (EPROTO)",
    },
  ];
  for (const { what, says, kind, line } of endings) {
    test(`ends, after what came before, at ${what}`, async () => {
      using peer = new FakePeer();
      const { inbox } = await established(peer, { maxFrameBytes: 1000 });
      await peer.say(Buffer.concat([message("before"), says, message("after")]));
      const error = await inbox.closed;
      expect({ kind: error?.kind, line: error?.message }).toEqual({ kind, line });
      expect(texts(inbox.messages)).toEqual([["before"]]);
      expect(inbox.closings).toBe(1);
      await peer.clientGone;
    });
  }

  test("that ends inside a message says so and delivers no part of it", async () => {
    using peer = new FakePeer();
    const { inbox } = await established(peer);
    await peer.say(message("whole"), claim(400n * 2n ** 20n), Buffer.from("only this"));
    await peer.hangUp();
    const error = await inbox.closed;
    expect(error?.kind).toBe("closed");
    expect(error?.issue).toEndWith("closed the connection in the middle of a message");
    expect(texts(inbox.messages)).toEqual([["whole"]]);
  });

  test("closed from inside a message delivers nothing more", async () => {
    using peer = new FakePeer();
    const seen: string[] = [];
    const connecting = connected({
      type: "DEALER",
      endpoint: peer.endpoint,
      onMessage: (frames) => {
        seen.push(Buffer.from(frames[0] ?? []).toString());
        if (seen.length === 2) client?.socket.close();
      },
    });
    let client: Awaited<typeof connecting> | undefined;
    await peer.say(greeting, readyOf("ROUTER"));
    client = await connecting;
    await peer.say(Buffer.concat([message("one"), message("last"), message("too much")]));
    expect(await client.inbox.closed).toBeUndefined();
    await peer.clientGone;
    expect(seen).toEqual(["one", "last"]);
  });
});

test("a receiver that throws is seen, and the messages after that one still arrive", async () => {
  // In a process of its own, because what it throws is nobody's to catch.
  using peer = new FakePeer();
  const script = `
    import { ZmtpSocket } from ${JSON.stringify(join(import.meta.dir, "../../src/kernel/zmtp/index.ts"))};
    process.on("uncaughtException", (error) => console.log("seen: " + error.message));
    const socket = await ZmtpSocket.connect({
      type: "DEALER",
      endpoint: ${JSON.stringify(peer.endpoint)},
      onMessage(frames) {
        const text = Buffer.from(frames[0]).toString();
        console.log(text);
        if (text === "one") throw new Error("a bug");
        if (text === "three") setImmediate(() => socket.close());
      },
      onClose() {},
    });`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  await peer.say(greeting, readyOf("ROUTER"));
  await peer.hears(64 + dealerReady);
  await peer.say(Buffer.concat([message("one"), message("two"), message("three")]));
  expect(await new Response(child.stdout).text()).toBe("one\ntwo\nthree\nseen: a bug\n");
  expect(await child.exited).toBe(0);
});
