/** Sits between a client and a peer, passes everything on, and notices what the client says. */

import { join } from "node:path";
import type { Socket } from "bun";
import { dial, type Endpoint } from "../../src/kernel/zmtp/endpoint.ts";
import { temporaryDirectory } from "../support/home.ts";

export class Wiretap implements AsyncDisposable {
  readonly endpoint: Endpoint = { transport: "ipc", path: join(temporaryDirectory(), "wire") };
  #heard = "";
  #noticed = Promise.withResolvers<void>();
  #server: { stop(closeActive: boolean): void } | undefined;
  #upstream: Socket | undefined;

  /** For one client. Good for a few small messages: it does not wait for the other side to take them. */
  static async between(peer: Endpoint): Promise<Wiretap> {
    const tap = new Wiretap();
    let client: Socket | undefined;
    const upstream = await dial(peer, {
      data: (_socket, chunk) => void client?.write(chunk),
      close: () => void client?.end(),
      open: (socket) => socket.pause(),
    });
    tap.#upstream = upstream;
    const { path } = tap.endpoint as Extract<Endpoint, { transport: "ipc" }>;
    tap.#server = Bun.listen({
      unix: path,
      socket: {
        open: (socket) => {
          client = socket;
          upstream.resume();
        },
        data: (_socket, chunk) => {
          upstream.write(chunk);
          tap.#heard += chunk.toString("latin1");
          tap.#noticed.resolve();
          tap.#noticed = Promise.withResolvers();
        },
      },
    });
    return tap;
  }

  async clientSaid(what: string, times: number): Promise<void> {
    while (this.#heard.split(what).length <= times) await this.#noticed.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server?.stop(true);
    this.#upstream?.end();
  }
}
