/** Where a peer listens, how that is written for people, and how it is handed to Bun. */

import type { Socket, SocketHandler } from "bun";

export type Endpoint =
  | { readonly transport: "ipc"; readonly path: string }
  | { readonly transport: "tcp"; readonly host: string; readonly port: number };

/** The way ZeroMQ writes addresses: `ipc:///run/k-1`, `tcp://127.0.0.1:5555`, `tcp://[::1]:5555`. */
export function endpointName(endpoint: Endpoint): string {
  if (endpoint.transport === "ipc") return `ipc://${endpoint.path}`;
  const host = endpoint.host.includes(":") ? `[${endpoint.host}]` : endpoint.host;
  return `tcp://${host}:${endpoint.port}`;
}

export function dial(endpoint: Endpoint, socket: SocketHandler<undefined>): Promise<Socket> {
  return endpoint.transport === "ipc"
    ? Bun.connect({ unix: endpoint.path, socket })
    : Bun.connect({ hostname: endpoint.host, port: endpoint.port, socket });
}

/** The least that any system has room for in the address of a unix socket (macOS: 104 with the final zero; Linux: 108). */
const UNIX_PATH_BYTES = 103;

/** Why an address may be no good, where that can be seen from the address: the system only says "invalid argument". */
export function endpointHint(endpoint: Endpoint): string {
  if (endpoint.transport === "tcp") return "";
  const bytes = Buffer.byteLength(endpoint.path);
  return bytes > UNIX_PATH_BYTES ? `: its path of ${bytes} bytes is too long for a unix socket` : "";
}

/**
 * What connecting answers while the peer has not bound yet: no socket file, no listener, or (unix) a full backlog.
 */
export const notListeningYet: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED", "EAGAIN"]);

/**
 * Trying a free loopback port again and again ends, sooner or later (measured: at the 2,211th time), in the system choosing
 * that very port for our side, and tcp then connects the socket with itself. A DEALER would even believe its own READY.
 */
export function isConnectedToItself(
  socket: Pick<Socket, "localAddress" | "localPort" | "remoteAddress" | "remotePort">,
): boolean {
  return socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress;
}
