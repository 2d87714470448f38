/** Connections over streamable HTTP, on loopback and with a token: each client session has a kernel and a shell of its own. */

import { timingSafeEqual } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { untilAborted } from "../../async/abort.ts";
import { OmpError, systemCode } from "../../protocol/index.ts";
import type { ServeOptions } from "./serve-stdio.ts";
import { ServedConnection } from "./tools-server.ts";

const PATH = "/mcp";
const HOST = "127.0.0.1";
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
const SESSION_HEADER = "mcp-session-id";

export interface HttpOptions extends ServeOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly token: string;
  readonly onListening: (url: string) => void;
}

interface Client {
  readonly connection: ServedConnection;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

/** Until the signal aborts. Throws OmpError when the port cannot be used. */
export async function serveOverHttp(options: HttpOptions): Promise<void> {
  const clients = new Clients(options);
  const server = listen(options.port, (request) => clients.handle(request));
  options.onListening(`http://${HOST}:${server.port}${PATH}`);
  try {
    await untilAborted(new Promise<never>(() => undefined), options.signal);
  } finally {
    await clients.close();
    await server.stop(true);
  }
}

function listen(port: number, handle: (request: Request) => Promise<Response>) {
  try {
    // A call may be silent for as long as it likes.
    return Bun.serve({
      hostname: HOST,
      port,
      idleTimeout: 0,
      maxRequestBodySize: MAX_REQUEST_BYTES,
      fetch: handle,
    });
  } catch (error) {
    const code = systemCode(error) ?? "EADDRINUSE";
    throw new OmpError(
      { operation: "omp mcp serve", issue: `port ${port} cannot be used`, code },
      { cause: error },
    );
  }
}

class Clients {
  readonly #options: HttpOptions;
  readonly #byId = new Map<string, Client>();

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  async handle(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== PATH) return refusal(404, "not found");
    // A page in the user's browser can send requests to loopback, but not with the token, nor under another name, nor from its own origin.
    if (!isLoopback(request.headers.get("host"))) return refusal(403, "wrong host");
    const origin = request.headers.get("origin");
    if (origin !== null && !isLoopback(URL.parse(origin)?.host ?? "")) return refusal(403, "wrong origin");
    if (!isBearer(request.headers.get("authorization"), this.#options.token))
      return refusal(401, "a token is needed: Authorization: Bearer …", { "www-authenticate": "Bearer" });
    const id = request.headers.get(SESSION_HEADER);
    const client = id === null ? await this.#newClient() : this.#byId.get(id);
    if (client === undefined) return refusal(404, "no such session");
    return await client.transport.handleRequest(request);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byId.keys()].map((id) => this.#end(id)));
  }

  /** Kept only when the request opens a session. */
  async #newClient(): Promise<Client> {
    const connection = new ServedConnection(this.#options.version, this.#options.open);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void this.#byId.set(id, { connection, transport }),
      onsessionclosed: (id) => this.#end(id),
      maxRequestBodySize: MAX_REQUEST_BYTES,
    });
    await connection.newServer().connect(transport);
    return { connection, transport };
  }

  async #end(id: string): Promise<void> {
    const client = this.#byId.get(id);
    this.#byId.delete(id);
    await client?.transport.close();
    await client?.connection.close();
  }
}

function isLoopback(host: string | null): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host ?? "");
}

function isBearer(header: string | null, token: string): boolean {
  const [given, wanted] = [header ?? "", `Bearer ${token}`].map((text) => Buffer.from(text));
  if (given === undefined || wanted === undefined) return false;
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status, headers });
}
