/**
 * Throughput of the ZMTP client: small messages per second, megabytes per second, the time of a round trip.
 *
 *   bun bench/zmtp.ts
 *
 * The peer is a separate thread that writes prepared bytes, or discards what it reads, so that only the client
 * is measured. The decoder is also measured alone. Median of five.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readyFrame } from "../src/kernel/zmtp/commands.ts";
import { Decoder } from "../src/kernel/zmtp/decoder.ts";
import { encodeMessage } from "../src/kernel/zmtp/frame.ts";
import { encodeGreeting } from "../src/kernel/zmtp/greeting.ts";
import { type Endpoint, ZmtpSocket } from "../src/kernel/zmtp/index.ts";

declare const self: Worker;

const RUNS = 5;
const MB = 1_000_000;

interface Shape {
  readonly frames: number;
  readonly frameBytes: number;
  readonly count: number;
  /** How many messages the peer writes at a time. */
  readonly together: number;
}

type Job =
  | ({ readonly kind: "source"; readonly listen: Endpoint } & Shape)
  | { readonly kind: "drain"; readonly listen: Endpoint }
  | { readonly kind: "echo"; readonly listen: Endpoint };

/** The peer's thread. */
function serve(job: Job): void {
  const hello = Buffer.concat([
    encodeGreeting(),
    readyFrame(new Map([["Socket-Type", Buffer.from("ROUTER")]])),
  ]);
  const clientHello =
    64 +
    readyFrame(
      new Map([
        ["Socket-Type", Buffer.from("DEALER")],
        ["Identity", Buffer.alloc(0)],
      ]),
    ).length;
  let heard = 0;
  let source: { bytes: Uint8Array; at: number; left: number } | undefined;

  function pump(socket: { write(bytes: Uint8Array): number }): void {
    while (source !== undefined && source.left > 0) {
      source.at += Math.max(0, socket.write(source.bytes.subarray(source.at)));
      if (source.at < source.bytes.length) return;
      source.at = 0;
      source.left--;
    }
  }

  if (job.kind === "source") {
    const message = Buffer.concat(
      encodeMessage(Array.from({ length: job.frames }, () => Buffer.alloc(job.frameBytes, 1))),
    );
    source = {
      bytes: Buffer.concat(Array.from({ length: job.together }, () => message)),
      at: 0,
      left: job.count / job.together,
    };
  }
  const socket = {
    open: (raw: { write(bytes: Uint8Array): number }) => void raw.write(hello),
    data: (raw: { write(bytes: Uint8Array): number }, chunk: Uint8Array) => {
      const before = heard;
      heard += chunk.length;
      if (heard <= clientHello) return;
      if (job.kind === "source") pump(raw);
      else if (job.kind === "echo") raw.write(chunk.subarray(Math.max(0, clientHello - before)));
    },
    drain: pump,
  };
  const { listen } = job;
  const server =
    listen.transport === "ipc"
      ? Bun.listen({ unix: listen.path, socket })
      : Bun.listen({ hostname: listen.host, port: listen.port, socket });
  postMessage({ port: "port" in server ? server.port : 0 });
}

async function withPeer<T>(job: Job, use: (endpoint: Endpoint) => Promise<T>): Promise<T> {
  const worker = new Worker(import.meta.path);
  try {
    const up = Promise.withResolvers<number>();
    worker.onmessage = (event: MessageEvent<{ port: number }>) => up.resolve(event.data.port);
    worker.postMessage(job);
    const port = await up.promise;
    return await use(job.listen.transport === "ipc" ? job.listen : { ...job.listen, port });
  } finally {
    worker.terminate();
  }
}

async function receive(listen: Endpoint, shape: Shape): Promise<number> {
  return await withPeer({ kind: "source", listen, ...shape }, async (endpoint) => {
    const done = Promise.withResolvers<void>();
    let received = 0;
    const socket = await ZmtpSocket.connect({
      type: "DEALER",
      endpoint,
      onMessage: () => {
        if (++received === shape.count) done.resolve();
      },
      onClose: (error) => error !== undefined && done.reject(error),
    });
    const start = performance.now();
    socket.send([Buffer.from("go")]);
    await done.promise;
    const ms = performance.now() - start;
    socket.close();
    return ms;
  });
}

async function send(listen: Endpoint, shape: Shape): Promise<number> {
  return await withPeer({ kind: "drain", listen }, async (endpoint) => {
    const socket = await ZmtpSocket.connect({
      type: "DEALER",
      endpoint,
      onMessage: () => undefined,
      onClose: () => undefined,
    });
    const frames = Array.from({ length: shape.frames }, () => Buffer.alloc(shape.frameBytes, 1));
    const start = performance.now();
    for (let index = 0; index < shape.count; index++) {
      socket.send(frames);
      if (socket.bufferedBytes > 16 * MB) await socket.drained();
    }
    await socket.drained();
    const ms = performance.now() - start;
    socket.close();
    return ms;
  });
}

async function roundTrips(listen: Endpoint, count: number): Promise<number> {
  return await withPeer({ kind: "echo", listen }, async (endpoint) => {
    let answered = Promise.withResolvers<void>();
    const socket = await ZmtpSocket.connect({
      type: "DEALER",
      endpoint,
      onMessage: () => answered.resolve(),
      onClose: () => undefined,
    });
    const start = performance.now();
    for (let index = 0; index < count; index++) {
      answered = Promise.withResolvers();
      socket.send([Buffer.from("ping")]);
      await answered.promise;
    }
    const ms = performance.now() - start;
    socket.close();
    return ms;
  });
}

function decodeOnly(shape: Shape): number {
  const message = Buffer.concat(
    encodeMessage(Array.from({ length: shape.frames }, () => Buffer.alloc(shape.frameBytes, 1))),
  );
  const block = new Uint8Array(Buffer.concat(Array.from({ length: shape.together }, () => message)));
  let received = 0;
  const limits = { maxFrameBytes: 2 ** 30, maxMessageBytes: 2 ** 30 };
  const decoder = new Decoder(limits, { message: () => received++, command: () => undefined });
  decoder.commandsOnly = false;
  const start = performance.now();
  for (let done = 0; done < shape.count; done += shape.together) {
    for (let at = 0; at < block.length; at += 65_536) decoder.push(block.subarray(at, at + 65_536));
  }
  const ms = performance.now() - start;
  if (received !== shape.count) throw new Error(`${received} of ${shape.count} messages decoded`);
  return ms;
}

async function median(run: () => number | Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < RUNS; index++) times.push(await run());
  return times.sort((one, other) => one - other)[RUNS >> 1] ?? Number.NaN;
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "omp-bench-"));
  let sockets = 0;
  const endpoints: Record<string, () => Endpoint> = {
    ipc: () => ({ transport: "ipc", path: join(directory, `s${sockets++}`) }),
    tcp: () => ({ transport: "tcp", host: "127.0.0.1", port: 0 }),
  };
  const shapes = {
    "200,000 messages of 1 × 100 B": { frames: 1, frameBytes: 100, count: 200_000, together: 5_000 },
    "100,000 messages of 7 × 100 B": { frames: 7, frameBytes: 100, count: 100_000, together: 1_000 },
    "4,000 messages of 64 KB": { frames: 1, frameBytes: 65_536, count: 4_000, together: 10 },
    "10 messages of 100 MB": { frames: 1, frameBytes: 100 * MB, count: 10, together: 1 },
  };
  function line(what: string, shape: Shape, ms: number): void {
    const messages = Math.round((shape.count / ms) * 1000).toLocaleString("en");
    const megabytes = Math.round(
      (shape.count * shape.frames * shape.frameBytes) / MB / (ms / 1000),
    ).toLocaleString("en");
    console.log(`${what.padEnd(46)} ${messages.padStart(12)} messages/s ${megabytes.padStart(8)} MB/s`);
  }
  try {
    for (const [name, shape] of Object.entries(shapes))
      line(`decode     ${name}`, shape, await median(() => decodeOnly(shape)));
    for (const [transport, newEndpoint] of Object.entries(endpoints)) {
      for (const [name, shape] of Object.entries(shapes)) {
        line(`${transport} receive ${name}`, shape, await median(() => receive(newEndpoint(), shape)));
        line(`${transport} send    ${name}`, shape, await median(() => send(newEndpoint(), shape)));
      }
      const trips = await median(() => roundTrips(newEndpoint(), 5_000));
      console.log(
        `${`${transport} round trip`.padEnd(46)} ${((trips / 5_000) * 1000).toFixed(0).padStart(12)} µs`,
      );
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (Bun.isMainThread) await main();
else self.onmessage = (event: MessageEvent<Job>) => serve(event.data);
