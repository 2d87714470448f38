/** A server on loopback that answers as a provider would, with one prepared reply per request, and records the requests. */

import { afterEach } from "bun:test";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Chunks as they go over the wire. */
  readonly body: readonly (string | Uint8Array)[];
  /** What happens after the last chunk: a proper end, a connection that is cut, or silence until the client goes. */
  readonly ending?: "proper" | "cut" | "silence";
  /** Nothing is answered before this. */
  readonly after?: Promise<void>;
}

export interface Asked {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface WireServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Resolves when the next request has arrived. */
  readonly nextRequest: () => Promise<void>;
}

const running: Server[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map(stop));
});

export async function serve(...replies: readonly Reply[]): Promise<WireServer> {
  const asked: Asked[] = [];
  const waiting = [...replies];
  let arrived = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    // A question about the model, and not a turn.
    if (request.method === "GET") return void response.writeHead(404).end();
    asked.push(await read(request));
    arrived.resolve();
    arrived = Promise.withResolvers();
    await answer(waiting.shift() ?? { status: 500, body: ["no reply was prepared"] }, response);
  });
  running.push(server);
  return { url: await listen(server), asked, nextRequest: () => arrived.promise };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = new Headers(request.headers as Record<string, string>);
  const text = Buffer.concat(chunks).toString();
  return { path: request.url ?? "", headers, body: text === "" ? {} : JSON.parse(text) };
}

async function answer(reply: Reply, response: ServerResponse): Promise<void> {
  await reply.after;
  response.writeHead(reply.status ?? 200, { "content-type": "text/event-stream", ...reply.headers });
  for (const chunk of reply.body)
    await new Promise<void>((resolve) => response.write(chunk, () => resolve()));
  if (reply.ending === "cut") response.socket?.destroy();
  else if (reply.ending !== "silence") response.end();
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** The same bytes, one per chunk. */
export function byteByByte(chunks: readonly string[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(chunks.join(""));
  return Array.from(bytes, (_, index) => bytes.slice(index, index + 1));
}

/** An address where nothing listens: not a port that was just freed, since another program could get that one by chance. */
export function deadUrl(): string {
  return "http://127.0.0.1:9";
}
