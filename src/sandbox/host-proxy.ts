/**
 * The only way to the network from a sandbox: an HTTP proxy in omp's own process that connects to the hosts which the settings
 * allow. It knows CONNECT, for HTTPS, and plain requests. Whatever a program sends, the bytes reach only the host that was checked.
 */

import { connect, createServer, type Server, type Socket } from "node:net";
import { type HostAddress, isAllowed } from "./allowed-hosts.ts";

const MAX_HEAD_BYTES = 65_536;
const HEAD_END = "\r\n\r\n";

export type ProxyPlace = { readonly path: string } | { readonly host: string; readonly port: number };

interface Request extends HostAddress {
  /** What is sent to the host first; empty for CONNECT, after which the program speaks to it itself. */
  readonly head: string;
}

export class HostProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(allowed: readonly string[]) {
    this.#server = createServer((client) => {
      this.#keep(client);
      void this.#serve(client, allowed);
    });
    // Neither it nor its connections keep omp running.
    this.#server.unref();
  }

  static async open(place: ProxyPlace, allowed: readonly string[]): Promise<HostProxy> {
    const proxy = new HostProxy(allowed);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once("error", reject);
      proxy.#server.listen(place, resolve);
    });
    return proxy;
  }

  /** Of one that listens at a port. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(client: Socket, allowed: readonly string[]): Promise<void> {
    const received = await readHead(client);
    if (received === undefined) return void client.destroy();
    const request = parseHead(received.head);
    if (request === undefined) return refuse(client, "400 Bad request", "this proxy speaks HTTP only");
    if (!isAllowed(request, allowed))
      return refuse(
        client,
        "403 Not allowed by the sandbox",
        `${request.host}:${request.port} is not in sandboxAllow.hosts`,
      );
    const server = connect({ host: request.host, port: request.port });
    this.#keep(server);
    server.once("error", () => refuse(client, "502 Bad gateway", `${request.host} cannot be reached`));
    server.once("connect", () => {
      if (request.head === "") client.write(`HTTP/1.1 200 Connected${HEAD_END}`);
      else server.write(request.head, "latin1");
      server.write(received.rest);
      client.pipe(server);
      if (request.head === "") server.pipe(client);
      else void passAnswer(server, client);
    });
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.unref();
    // What the other end does with its connection is its own business.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

function refuse(client: Socket, status: string, why: string): void {
  const text = `${why}\n`;
  const head = `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close`;
  client.end(`${head}${HEAD_END}${text}`);
}

/** The client is told that the connection ends with this answer: it would send its next request on it. */
async function passAnswer(server: Socket, client: Socket): Promise<void> {
  const received = await readHead(server);
  if (received === undefined) return void client.destroy();
  const [status = "", ...fields] = received.head.split("\r\n");
  const isInterim = / 1\d\d\b/.test(status);
  const kept = isInterim ? fields : [...withoutConnection(fields), "Connection: close"];
  client.write([status, ...kept].join("\r\n") + HEAD_END, "latin1");
  server.unshift(received.rest);
  if (isInterim) await passAnswer(server, client);
  else server.pipe(client);
}

/** Up to the empty line, and what came with it; undefined when there is none. */
async function readHead(
  socket: Socket,
): Promise<{ readonly head: string; readonly rest: Buffer } | undefined> {
  if (socket.destroyed) return undefined;
  return await new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const done = (found: { head: string; rest: Buffer } | undefined) => {
      socket.off("data", take);
      socket.pause();
      resolve(found);
    };
    const take = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf(HEAD_END);
      if (end >= 0)
        done({ head: received.toString("latin1", 0, end), rest: received.subarray(end + HEAD_END.length) });
      else if (received.length > MAX_HEAD_BYTES) done(undefined);
    };
    socket.on("data", take);
    socket.once("close", () => done(undefined));
    socket.resume();
  });
}

function parseHead(text: string): Request | undefined {
  const [line = "", ...fields] = text.split("\r\n");
  const [method = "", target = "", version = ""] = line.split(" ");
  if (!version.startsWith("HTTP/1.")) return undefined;
  if (method === "CONNECT") {
    const [, host = "", port] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(target) ?? [];
    return port === undefined ? undefined : { host, port: Number(port), head: "" };
  }
  const url = URL.parse(target);
  if (url === null || url.protocol !== "http:") return undefined;
  // One request for each connection: the next one may be for another host.
  const start = `${method} ${url.pathname}${url.search} ${version}`;
  const head = [start, ...withoutConnection(fields), "Connection: close"].join("\r\n");
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || 80), head: head + HEAD_END };
}

/** What is said to the other end of one connection only. */
function withoutConnection(fields: readonly string[]): readonly string[] {
  return fields.filter((field) => !/^(?:proxy-[\w-]+|connection|keep-alive):/i.test(field));
}
