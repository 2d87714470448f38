/** Our sockets against peers that libzmq would never be: made of garbage, of lies, of silence, or of an older version. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { encodeMessage } from "../../src/kernel/zmtp/frame.ts";
import { encodeGreeting } from "../../src/kernel/zmtp/greeting.ts";
import type { ZmtpErrorKind } from "../../src/kernel/zmtp/index.ts";
import { connected, texts } from "./client.ts";
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
