/** A TCP proxy on loopback that can be cut and frozen, to simulate a broken network between omp and a gateway. */

import { afterEach } from "bun:test";
import { createServer, type Socket, connect as tcpConnect } from "node:net";

export interface CuttableProxy {
  readonly url: string;
  /** Ends every connection, and refuses new ones until `restore`. */
  cut(): void;
  /** Keeps every connection open but passes nothing on, like a pulled cable. New connections work. */
  freeze(): void;
  restore(): void;
  /** Connections made so far. */
  readonly count: number;
}

const open: (() => void)[] = [];

afterEach(() => {
  for (const close of open.splice(0)) close();
});

export async function cuttableProxy(target: string): Promise<CuttableProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  let count = 0;
  const server = createServer((client) => {
    client.on("error", () => client.destroy());
    if (isCut) {
      client.destroy();
      return;
    }
    count += 1;
    const upstream = tcpConnect({ host: hostname, port: Number(port) });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    upstream.on("error", () => client.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    client.on("close", end);
    upstream.on("close", end);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    isCut = true;
    for (const [client, upstream] of [...pairs]) {
      client.destroy();
      upstream.destroy();
    }
  };
  open.push(() => {
    cut();
    server.close();
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    cut,
    freeze: () => {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream);
        upstream.unpipe(client);
        // Read and discarded, so that the other side believes that it was received.
        client.resume();
        upstream.resume();
      }
    },
    restore: () => {
      isCut = false;
    },
    get count() {
      return count;
    },
  };
}
