/**
 * A server that omp starts: JSON lines over its stdin and stdout. The SDK's own transport starts it in omp's process group and leaves its
 * children behind; here it leads a group of its own, which ends as a whole, also when omp is killed.
 */

import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { within } from "../async/within.ts";
import { type Confinement, confined } from "../process/confinement.ts";
import { killGroup } from "../process/group.ts";
import type { Watchdog } from "../process/watchdog.ts";
import type { McpStdioEndpoint } from "../protocol/mcp.ts";

/** Pictures come in one message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** What a failing server has printed last says why. */
const KEPT_ERROR_CHARS = 2_000;
/** Servers should end when their stdin does, and by SIGTERM at the latest. */
const STDIN_GRACE_MS = 200;
const SIGTERM_GRACE_MS = 500;
const LAST_WORDS_MS = 200;

export interface StdioOptions {
  readonly endpoint: McpStdioEndpoint;
  /** What every program needs; the endpoint's own variables win. */
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly watchdog: Pick<Watchdog, "guardGroup">;
  /** What the program is put into. */
  readonly confinement: () => Confinement | undefined;
}

type Program = Bun.Subprocess<"pipe", "pipe", "pipe">;

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  readonly #options: StdioOptions;
  readonly #received = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  #program: Program | undefined;
  #release: () => void = () => undefined;
  #closing: Promise<void> | undefined;
  #printed = "";

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** How the program ended, and its last line on stderr: `ended with exit code 1: no such file`. */
  get ending(): string | undefined {
    const { exitCode, signalCode } = this.#program ?? {};
    if (exitCode == null && signalCode == null) return undefined;
    const how = signalCode == null ? `exit code ${exitCode}` : signalCode;
    const lastLine = this.#printed.trim().split("\n").at(-1)?.trim() ?? "";
    return `ended with ${how}${lastLine === "" ? "" : `: ${lastLine}`}`;
  }

  async start(): Promise<void> {
    const { endpoint, baseEnv, watchdog, confinement } = this.#options;
    const { argv, env, cwd } = confined(confinement(), {
      argv: [endpoint.command, ...endpoint.args],
      env: { ...baseEnv, ...endpoint.env },
      cwd: endpoint.cwd,
    });
    const program: Program = Bun.spawn(argv, {
      cwd,
      env,
      detached: true,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#program = program;
    this.#release = watchdog.guardGroup(program.pid);
    // A server that waits for omp must not keep omp running.
    program.unref();
    const read = Promise.all([this.#readMessages(program), this.#readErrors(program)]);
    void program.exited.then(async () => {
      // Its last words; but what it has started may hold the pipes for ever.
      await within(read, LAST_WORDS_MS);
      await this.close();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const program = this.#program;
    if (program === undefined || this.#closing !== undefined) throw new Error("not connected");
    program.stdin.write(serializeMessage(message));
    await program.stdin.flush();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const program = this.#program;
    if (program !== undefined) {
      // Not awaited: it never settles when the program does not read.
      void program.stdin.end();
      if (!(await within(program.exited, STDIN_GRACE_MS))) killGroup(program.pid, "SIGTERM");
      await within(program.exited, SIGTERM_GRACE_MS);
      // Also what it has started and left behind.
      killGroup(program.pid, "SIGKILL");
      await program.exited;
      this.#release();
    }
    this.#received.clear();
    this.onclose?.();
  }

  async #readMessages({ stdout }: Program): Promise<void> {
    for await (const chunk of stdout) {
      try {
        this.#received.append(Buffer.from(chunk));
        this.#deliver();
      } catch (error) {
        // A message beyond the limit: what follows could not be told apart from it.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
        void this.close();
        return;
      }
    }
  }

  #deliver(): void {
    for (;;) {
      try {
        const message = this.#received.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // One line that is no message: a server that prints something else to stdout.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  async #readErrors({ stderr }: Program): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stderr) {
      this.#printed = (this.#printed + decoder.decode(chunk, { stream: true })).slice(-KEPT_ERROR_CHARS);
    }
  }
}
