/** A peer that says exactly the bytes that a test wants, over a unix socket, and writes down what it hears. */

import { join } from "node:path";
import type { Socket } from "bun";
import { commandFrame, readyFrame } from "../../src/kernel/zmtp/commands.ts";
import type { Endpoint } from "../../src/kernel/zmtp/index.ts";
import { temporaryDirectory } from "../support/home.ts";

export class FakePeer implements Disposable {
  readonly endpoint: Endpoint;
  readonly #server: { stop(closeActive: boolean): void };
  readonly #connected = Promise.withResolvers<Socket>();
  readonly #gone = Promise.withResolvers<void>();
  #heard: Buffer = Buffer.alloc(0);
  #noticed = Promise.withResolvers<void>();

  /** Resolves when the client has hung up. */
  readonly clientGone: Promise<void> = this.#gone.promise;

  constructor() {
    const path = join(temporaryDirectory(), "fake");
    this.endpoint = { transport: "ipc", path };
    this.#server = Bun.listen({
      unix: path,
      socket: {
        open: (socket) => this.#connected.resolve(socket),
        data: (_socket, chunk) => {
          this.#heard = Buffer.concat([this.#heard, chunk]);
          this.#noticed.resolve();
          this.#noticed = Promise.withResolvers();
        },
        close: () => this.#gone.resolve(),
      },
    });
  }

  async say(...pieces: readonly Uint8Array[]): Promise<void> {
    const socket = await this.#connected.promise;
    for (const piece of pieces) {
      const written = socket.write(piece);
      if (written !== piece.length) throw new Error("a fake peer says little at a time");
    }
  }

  /** Every byte in a packet of its own: the client has read one before the next is written. */
  async spell(bytes: Uint8Array): Promise<void> {
    for (const byte of bytes) {
      await this.say(Uint8Array.of(byte));
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async hangUp(): Promise<void> {
    (await this.#connected.promise).end();
  }

  /** The next bytes from the client, as many as are asked for. */
  async hears(bytes: number): Promise<Buffer> {
    while (this.#heard.length < bytes) await this.#noticed.promise;
    const heard = this.#heard.subarray(0, bytes);
    this.#heard = this.#heard.subarray(bytes);
    return heard;
  }

  /** What the client has said beyond what was asked for. */
  get unheard(): Buffer {
    return this.#heard;
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }
}

export function readyOf(type: string): Uint8Array {
  return readyFrame(new Map([["Socket-Type", Buffer.from(type)]]));
}

export function ping(context: string): Uint8Array {
  return commandFrame("PING", Buffer.from(`\x00\x0a${context}`));
}

export function errorCommand(reason: string): Uint8Array {
  return commandFrame("ERROR", Uint8Array.of(reason.length), Buffer.from(reason));
}
