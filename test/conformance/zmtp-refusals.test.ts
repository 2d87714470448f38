/** Peers that our sockets do not connect to, and what they say about it. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { encodeMessage } from "../../src/kernel/zmtp/frame.ts";
import { encodeGreeting } from "../../src/kernel/zmtp/greeting.ts";
import type { ZmtpErrorKind } from "../../src/kernel/zmtp/index.ts";
import { temporaryDirectory } from "../support/home.ts";
import { connected, rejection } from "./client.ts";
import { errorCommand, FakePeer, readyOf } from "./fake-peer.ts";

const greeting = encodeGreeting();

function message(...frames: string[]): Uint8Array {
  return Buffer.concat(encodeMessage(frames.map((frame) => Buffer.from(frame))));
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
      line: `zmtp: cannot connect to ipc://${path}: ${hint} (EINVAL)`,
    });
  });
});
