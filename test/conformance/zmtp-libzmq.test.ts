/** Our sockets against real libzmq: every kind of peer that a kernel has, over both transports. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../support/home.ts";
import { slowFile } from "../support/limits.ts";
import { connected, numbered, patterned, rejection, same, texts } from "./client.ts";
import { LibzmqPeer } from "./libzmq-peer.ts";
import { Wiretap } from "./wiretap.ts";

slowFile(60, "half a gigabyte and half a million messages");

const everything = [new Uint8Array(0)];

for (const transport of ["ipc", "tcp"] as const) {
  describe(`over ${transport}`, () => {
    test("a DEALER gets back from ROUTER what it sent, from nothing to 64 MB in a frame", async () => {
      await using peer = await LibzmqPeer.start({ type: "ROUTER", behaviour: "echo", transport });
      const { inbox, socket } = await connected({ type: "DEALER", endpoint: peer.endpoint });
      const sizes = [0, 1, 2, 254, 255, 256, 257, 8_191, 8_192, 32_767, 32_768, 65_535, 65_536, 1_000_003];
      sizes.push(16 * 2 ** 20, 16 * 2 ** 20 + 1, 64 * 2 ** 20);
      for (const size of sizes) {
        const body = patterned(size);
        const before = inbox.messages.length;
        socket.send([body, Buffer.from("tail")]);
        const [frame, tail] = (await inbox.count(before + 1)).at(-1) ?? [];
        expect({ size, same: same(frame, body), tail: Buffer.from(tail ?? []).toString() }).toEqual({
          size,
          same: true,
          tail: "tail",
        });
        inbox.messages.length = 0;
      }
      socket.close();
    });

    test("messages of 1,000 frames keep their frames", async () => {
      await using peer = await LibzmqPeer.start({ type: "ROUTER", behaviour: "echo", transport });
      const { inbox, socket } = await connected({ type: "DEALER", endpoint: peer.endpoint });
      const frames = Array.from({ length: 1_000 }, (_, index) => patterned((index * index) % 1_500));
      socket.send(frames);
      const [received] = await inbox.count(1);
      expect(received?.length).toBe(1_000);
      expect(frames.filter((frame, index) => !same(received?.[index], frame))).toEqual([]);
      socket.close();
    });

    test("a burst of 100,000 messages comes back whole and in order", async () => {
      await using peer = await LibzmqPeer.start({ type: "ROUTER", behaviour: "echo", transport });
      const { inbox, socket } = await connected({ type: "DEALER", endpoint: peer.endpoint });
      for (let index = 0; index < 100_000; index++) socket.send([numbered(index), Buffer.from("x")]);
      const messages = await inbox.count(100_000);
      const misplaced = messages.findIndex(
        ([number, body], index) => !same(number, numbered(index)) || !same(body, Buffer.from("x")),
      );
      expect({ count: messages.length, misplaced }).toEqual({ count: 100_000, misplaced: -1 });
      socket.close();
    });

    test("a SUB misses none of 100,000 messages of XPUB", async () => {
      await using peer = await LibzmqPeer.start({ type: "XPUB", behaviour: "publish", transport });
      const { inbox, socket } = await connected({
        type: "SUB",
        endpoint: peer.endpoint,
        subscriptions: everything,
      });
      expect(await peer.said("subscribed")).toEqual({ subscribed: true, topic: "" });
      peer.order({ count: 100_000, size: 100 });
      const messages = await inbox.count(100_000);
      const misplaced = messages.findIndex(([, body], index) => !same(body, numbered(index, 100)));
      expect({ count: messages.length, misplaced }).toEqual({ count: 100_000, misplaced: -1 });
      socket.close();
    });

    test("a SUB gets its topics only", async () => {
      await using peer = await LibzmqPeer.start({ type: "XPUB", behaviour: "publish", transport });
      const subscriptions = [Buffer.from("a"), Buffer.from("bb")];
      const { inbox, socket } = await connected({ type: "SUB", endpoint: peer.endpoint, subscriptions });
      expect([await peer.said("subscribed"), await peer.said("subscribed")]).toEqual([
        { subscribed: true, topic: "a" },
        { subscribed: true, topic: "bb" },
      ]);
      for (const topic of ["b", "c", "ab", "bbb"]) peer.order({ count: 1, size: 4, topic });
      expect(texts(await inbox.count(2))).toEqual([
        ["ab", "\0\0\0\0"],
        ["bbb", "\0\0\0\0"],
      ]);
      socket.close();
    });

    test("a REQ and a REP take turns", async () => {
      await using peer = await LibzmqPeer.start({ type: "REP", behaviour: "echo", transport });
      const { inbox, socket } = await connected({ type: "REQ", endpoint: peer.endpoint });
      for (let turn = 0; turn < 1_000; turn++) {
        socket.send([Buffer.from(`ping ${turn}`), Buffer.alloc(0)]);
        await inbox.count(turn + 1);
      }
      expect(texts(inbox.messages)).toEqual(Array.from({ length: 1_000 }, (_, turn) => [`ping ${turn}`, ""]));
      socket.close();
    });

    test("a stopped peer makes the buffer grow; when it goes on, everything arrives in order", async () => {
      await using peer = await LibzmqPeer.start({ type: "ROUTER", behaviour: "collect", transport });
      const { socket } = await connected({ type: "DEALER", endpoint: peer.endpoint });
      peer.signal("SIGSTOP");
      const small = 50_000;
      const large = 24;
      const largeBytes = 2 ** 20;
      for (let index = 0; index < small; index++) socket.send([numbered(index, 100)]);
      for (let index = 0; index < large; index++) socket.send([numbered(small + index, largeBytes)]);
      for (let index = 0; index < small; index++) socket.send([numbered(small + large + index, 100)]);
      const bytes = 2 * small * 100 + large * largeBytes;
      const waiting = socket.bufferedBytes;
      // The operating system takes a few megabytes at most.
      expect(waiting).toBeGreaterThan(bytes / 2);
      let drained = false;
      const draining = socket.drained().then(() => {
        drained = true;
      });
      await new Promise((resolve) => setImmediate(resolve));
      expect(drained).toBe(false);
      peer.signal("SIGCONT");
      peer.order({ expect: 2 * small + large });
      await draining;
      expect(socket.bufferedBytes).toBe(0);
      expect(await peer.said("received")).toEqual({ received: 2 * small + large, outOfOrder: 0, bytes });
      socket.close();
    });

    test("the end of the peer is told once, and what was delivered before it is whole", async () => {
      await using peer = await LibzmqPeer.start({ type: "XPUB", behaviour: "publish", transport });
      const { inbox, socket } = await connected({
        type: "SUB",
        endpoint: peer.endpoint,
        subscriptions: everything,
      });
      await peer.said("subscribed");
      peer.order({ count: 1_000, size: 4 * 2 ** 20 });
      await inbox.count(3);
      peer.signal("SIGKILL");
      const error = await inbox.closed;
      expect(error?.kind).toBe("closed");
      expect(inbox.messages.filter(([, body], index) => !same(body, numbered(index, 4 * 2 ** 20)))).toEqual(
        [],
      );
      expect(inbox.closings).toBe(1);
      expect(() => socket.send([Buffer.from("x")])).toThrow(error?.message ?? "");
      expect((await rejection(socket.drained())).kind).toBe("closed");
    });

    test("heartbeats of libzmq are answered, so that it does not hang up", async () => {
      await using peer = await LibzmqPeer.start({
        type: "ROUTER",
        behaviour: "echo",
        transport,
        heartbeatMs: 100,
      });
      await using wire = await Wiretap.between(peer.endpoint);
      const { inbox, socket } = await connected({ type: "DEALER", endpoint: wire.endpoint });
      // A PONG that libzmq did not get, or did not like, would be one of the last: 20 PINGs later it hangs up and asks no more.
      await wire.clientSaid("\x04PONG", 30);
      socket.send([Buffer.from("still here")]);
      expect(texts(await inbox.count(1))).toEqual([["still here"]]);
      expect(inbox.closings).toBe(0);
      socket.close();
    });

    test("a socket type that libzmq does not accept ends the handshake", async () => {
      await using peer = await LibzmqPeer.start({ type: "PUSH", behaviour: "silent", transport });
      const error = await rejection(connected({ type: "DEALER", endpoint: peer.endpoint }));
      // Whoever sees it first says so: libzmq by hanging up, we by its READY.
      expect(["closed", "socket-type"]).toContain(error.kind);
    });

    test("closing leaves with what was sent", async () => {
      await using peer = await LibzmqPeer.start({ type: "ROUTER", behaviour: "collect", transport });
      const { inbox, socket } = await connected({ type: "DEALER", endpoint: peer.endpoint });
      peer.order({ expect: 2_000 });
      for (let index = 0; index < 2_000; index++) socket.send([numbered(index, 10_000)]);
      await socket.drained();
      socket.close();
      socket.close();
      expect(await peer.said("received")).toEqual({ received: 2_000, outOfOrder: 0, bytes: 20_000_000 });
      expect([await inbox.closed, inbox.closings]).toEqual([undefined, 1]);
    });
  });
}

test("a socket that connects before its peer listens finds it, over ipc and tcp", async () => {
  await using placeholder = await LibzmqPeer.start({ type: "ROUTER", behaviour: "silent", transport: "tcp" });
  const freePort = placeholder.endpoint;
  await placeholder[Symbol.asyncDispose]();
  for (const endpoint of [
    { transport: "ipc", path: join(temporaryDirectory(), "late") } as const,
    freePort,
  ]) {
    const connecting = connected({ type: "DEALER", endpoint });
    const { transport } = endpoint;
    await using peer = await LibzmqPeer.start({ type: "ROUTER", behaviour: "echo", transport, endpoint });
    expect(peer.endpoint).toEqual(endpoint);
    const { inbox, socket } = await connecting;
    socket.send([Buffer.from("hello")]);
    expect(texts(await inbox.count(1))).toEqual([["hello"]]);
    socket.close();
  }
});

test("an identity is the route under which ROUTER knows us", async () => {
  await using peer = await LibzmqPeer.start({ type: "ROUTER", behaviour: "echo", transport: "ipc" });
  const clients = await Promise.all(
    ["one", "two"].map((name) =>
      connected({ type: "DEALER", endpoint: peer.endpoint, identity: Buffer.from(name) }),
    ),
  );
  for (const [index, { socket }] of clients.entries()) socket.send([numbered(index)]);
  for (const [index, { inbox, socket }] of clients.entries()) {
    expect(await inbox.count(1)).toEqual([[new Uint8Array(numbered(index))]]);
    socket.close();
  }
});
