/** Starts `libzmq-peer.mjs` under Node and speaks with it. */

import { join } from "node:path";
import type { Endpoint } from "../../src/kernel/zmtp/index.ts";
import { temporaryDirectory } from "../support/home.ts";

export interface PeerOptions {
  readonly type: "ROUTER" | "REP" | "PUSH" | "XPUB";
  readonly behaviour: "echo" | "collect" | "publish" | "silent";
  readonly transport: Endpoint["transport"];
  readonly heartbeatMs?: number;
  /** Where to bind, when the test has to know it before the peer does. */
  readonly endpoint?: Endpoint;
}

export type PeerEvent = Readonly<Record<string, unknown>>;

export class LibzmqPeer implements AsyncDisposable {
  readonly endpoint: Endpoint;
  readonly #child: PeerProcess;
  readonly #lines: AsyncIterator<PeerEvent>;

  static async start(options: PeerOptions): Promise<LibzmqPeer> {
    const bind = options.endpoint !== undefined ? addressOf(options.endpoint) : newAddress(options.transport);
    const { type, behaviour, heartbeatMs } = options;
    const node = Bun.which("node");
    if (node === null) throw new Error("libzmq's side of these tests runs under Node, which is not on PATH");
    const child = Bun.spawn(
      [
        node,
        join(import.meta.dir, "libzmq-peer.mjs"),
        JSON.stringify({ type, behaviour, bind, heartbeatMs }),
      ],
      { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
    );
    const lines = jsonLines(child.stdout);
    const first = await lines.next();
    if (first.done === true) throw new Error(`the libzmq peer ended with ${await child.exited}`);
    return new LibzmqPeer(child, lines, parseAddress(String(first.value["bound"])));
  }

  private constructor(child: PeerProcess, lines: AsyncIterator<PeerEvent>, endpoint: Endpoint) {
    this.#child = child;
    this.#lines = lines;
    this.endpoint = endpoint;
  }

  order(what: PeerEvent): void {
    this.#child.stdin.write(`${JSON.stringify(what)}\n`);
    this.#child.stdin.flush();
  }

  /** The next thing that the peer says that has this key, others being passed over. */
  async said(key: string): Promise<PeerEvent> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw new Error(`the libzmq peer ended before it said anything of "${key}"`);
      if (key in value) return value;
    }
  }

  signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
    this.#child.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }
}

type PeerProcess = Bun.Subprocess<"pipe", "pipe", "inherit">;

function newAddress(transport: Endpoint["transport"]): string {
  return transport === "tcp" ? "tcp://127.0.0.1:*" : `ipc://${join(temporaryDirectory(), "s")}`;
}

function addressOf(endpoint: Endpoint): string {
  return endpoint.transport === "ipc" ? `ipc://${endpoint.path}` : `tcp://${endpoint.host}:${endpoint.port}`;
}

function parseAddress(address: string): Endpoint {
  if (address.startsWith("ipc://")) return { transport: "ipc", path: address.slice("ipc://".length) };
  const { hostname, port } = new URL(address);
  return { transport: "tcp", host: hostname, port: Number(port) };
}

async function* jsonLines(bytes: ReadableStream<Uint8Array>): AsyncGenerator<PeerEvent, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}
