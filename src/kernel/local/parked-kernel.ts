/**
 * A checkpoint of a kernel on this machine: a forked copy of its process that waits (`python/parking.py`). Asked over a Unix socket, one
 * request at a time; it ends with that connection, with its fork server, or when it is dropped.
 */

import { rmSync } from "node:fs";
import { unlessAborted } from "../../async/abort.ts";
import { memoryOf } from "../../process/memory.ts";
import { sharedWatchdog } from "../../process/watchdog.ts";
import { attempt } from "../../protocol/index.ts";
import { asRecord, parseJson } from "../../protocol/record.ts";
import { KernelError } from "../errors.ts";
import type { Kernel, ParkedKernel, ProcessMemory } from "../kernel.ts";
import type { ForkedKernel } from "./fork-server.ts";

/** More than the copy gives itself to prove that it runs. */
const HELLO_MS = 15_000;
const WAKE_MS = 15_000;
/** How long the contents of variables may be read; what is left then counts as not known. */
const DIGEST_S = 5;
const DIGEST_MS = 30_000;

export interface ParkedParts {
  /** Where the copy listens. */
  readonly socket: string;
  readonly notHeld: readonly string[];
  readonly adopt: (innerPid: number) => ForkedKernel;
  /** Makes a kernel of the process that `fork` returns, which it does when it is given the kernel's files. */
  readonly wake: (fork: (files: WokenFiles) => Promise<ForkedKernel>, signal: AbortSignal) => Promise<Kernel>;
}

export interface WokenFiles {
  readonly connectionFile: string;
  readonly logFile: string;
  readonly arguments: readonly string[];
}

export class LocalParkedKernel implements ParkedKernel {
  readonly notHeld: readonly string[];
  readonly exited: Promise<unknown>;
  readonly #parts: ParkedParts;
  readonly #connection: Connection;
  readonly #process: ForkedKernel;
  #isAlive = true;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(parts: ParkedParts, connection: Connection, process: ForkedKernel) {
    this.#parts = parts;
    this.#connection = connection;
    this.#process = process;
    this.notHeld = parts.notHeld;
    const release = sharedWatchdog().guardGroup(process.pid);
    this.exited = process.exited.then(() => {
      this.#isAlive = false;
      release();
      connection.close();
    });
  }

  /** Resolves when the copy has proved that it runs; it is ended by the system if it cannot. Throws `KernelError`. */
  static async connect(parts: ParkedParts, signal: AbortSignal): Promise<LocalParkedKernel> {
    const connection = await Connection.open(parts.socket);
    try {
      const hello = await connection.answer(AbortSignal.any([signal, AbortSignal.timeout(HELLO_MS)]));
      return new LocalParkedKernel(parts, connection, parts.adopt(pidOf(hello)));
    } catch (error) {
      // The copy ends with its connection.
      connection.close();
      throw error;
    } finally {
      attempt(() => rmSync(parts.socket, { force: true }));
    }
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  async wake(signal: AbortSignal): Promise<Kernel> {
    const fork = async (files: WokenFiles) => {
      const { connectionFile: connection_file, logFile: log, arguments: args } = files;
      const answer = await this.#ask({ wake: { connection_file, log, arguments: args } }, signal, WAKE_MS);
      return this.#parts.adopt(pidOf(answer));
    };
    return await this.#parts.wake(fork, signal);
  }

  async digests(signal: AbortSignal): Promise<ReadonlyMap<string, string | null>> {
    const answer = await this.#ask({ digests: { limit_s: DIGEST_S, skip: [] } }, signal, DIGEST_MS);
    const names = Object.entries(asRecord(answer["names"]));
    return new Map(names.map(([name, digest]) => [name, typeof digest === "string" ? digest : null]));
  }

  memory(): Promise<ProcessMemory | undefined> {
    return memoryOf(this.#process.pid);
  }

  drop(): void {
    this.#connection.close();
    if (this.#isAlive) this.#process.started.kill();
  }

  /** One request at a time: answers carry no number. */
  #ask(request: object, signal: AbortSignal, limitMs: number): Promise<Record<string, unknown>> {
    const asked = this.#queue.then(async () => {
      signal.throwIfAborted();
      this.#connection.send(request);
      const limit = AbortSignal.timeout(limitMs);
      return await this.#connection.answer(limit).catch((error) => {
        // A late answer would be taken for the next one's.
        if (limit.aborted) this.drop();
        throw error;
      });
    });
    this.#queue = asked.catch(() => undefined);
    return unlessAborted(asked, signal);
  }
}

/** JSON lines over a Unix socket. */
class Connection {
  #socket: Bun.Socket<undefined> | undefined;
  #received = "";
  #closed = Promise.withResolvers<never>();
  #line = Promise.withResolvers<string>();
  readonly #decoder = new TextDecoder();

  private constructor() {
    // Whoever waits for an answer sees it; nobody has to.
    this.#closed.promise.catch(() => undefined);
  }

  /** Its answers fail when nobody listens there: the copy may have ended already. */
  static async open(path: string): Promise<Connection> {
    const connection = new Connection();
    const close = () => connection.#closed.reject(copyError("it ended"));
    const socket = { data: (_: unknown, data: Uint8Array) => connection.#receive(data), close, end: close };
    connection.#socket = await Bun.connect({ unix: path, socket: { ...socket, error: close } }).catch(() => {
      close();
      return undefined;
    });
    return connection;
  }

  send(request: object): void {
    // Small enough for the socket's buffer, so nothing is left to be sent later.
    this.#socket?.write(`${JSON.stringify(request)}\n`);
    this.#socket?.flush();
  }

  async answer(signal: AbortSignal): Promise<Record<string, unknown>> {
    const line = await unlessAborted(Promise.race([this.#line.promise, this.#closed.promise]), signal).catch(
      (error) => {
        throw signal.aborted && error === signal.reason ? copyError("it does not answer") : error;
      },
    );
    this.#line = Promise.withResolvers();
    this.#take();
    const answer = asRecord(parseJson(line));
    if (typeof answer["error"] === "string") throw copyError(answer["error"]);
    return answer;
  }

  close(): void {
    this.#socket?.end();
    this.#socket = undefined;
  }

  #receive(data: Uint8Array): void {
    this.#received += this.#decoder.decode(data, { stream: true });
    this.#take();
  }

  /** The next whole line, for the next that waits for one. */
  #take(): void {
    const end = this.#received.indexOf("\n");
    if (end < 0) return;
    this.#line.resolve(this.#received.slice(0, end));
    this.#received = this.#received.slice(end + 1);
  }
}

function pidOf(answer: Record<string, unknown>): number {
  const { pid } = answer;
  if (typeof pid !== "number") throw copyError("its answer names no process");
  return pid;
}

export function copyError(issue: string): KernelError {
  return new KernelError({
    kind: "start-failed",
    issue: `copy of the kernel: ${issue}`,
    code: "KERNEL_COPY",
  });
}
