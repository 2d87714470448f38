/**
 * Our end of `python/fork_server.py`: one warm Python process that has imported everything a kernel needs and forks one in a
 * tenth of the time a new process takes. Speaks JSON lines over its stdin and stdout; when its stdin ends it kills its
 * kernels and exits.
 */

import { constants } from "node:os";
import { killGroup } from "../../process/group.ts";
import { sharedWatchdog } from "../../process/watchdog.ts";
import { systemCode } from "../../protocol/index.ts";
import { KernelError } from "../errors.ts";
import { readTail } from "../files.ts";
import { jsonLines } from "../json-lines.ts";
import {
  type ForkRequest,
  type ForkServerMessage,
  forkServerArguments,
  forkServerHello,
} from "../python/init-code.ts";
import {
  exitOf,
  type KernelProcess,
  kernelArguments,
  type LaunchOptions,
  type ProcessExit,
} from "./kernel-process.ts";

type ForkedKernel = Pick<KernelProcess, "pid" | "exited">;

export interface ForkServerOptions {
  readonly python: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export class ForkServer {
  /** Settles when kernels can be forked; rejects when the server ended first. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #release: () => void;
  readonly #forks = new Map<number, PromiseWithResolvers<ForkedKernel>>();
  readonly #kernels = new Map<number, (exit: ProcessExit) => void>();
  readonly #ready = Promise.withResolvers<void>();
  #lastId = 0;
  #isOver = false;
  /** True once kernels can be forked: from then on an answer is a matter of milliseconds. */
  isReady = false;

  constructor(options: ForkServerOptions) {
    this.#child = Bun.spawn([options.python, ...forkServerArguments()], {
      cwd: options.cwd,
      env: { ...options.env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
    this.#write(forkServerHello());
    this.#release = sharedWatchdog().guardGroup(this.#child.pid);
    this.ready = this.#ready.promise;
    // Callers that await `ready` see the failure; none has to.
    this.ready.catch(() => undefined);
    this.ended = this.#read();
  }

  async fork(options: LaunchOptions): Promise<KernelProcess> {
    await this.ready;
    if (this.#isOver) throw serverError("it ended");
    this.#lastId += 1;
    const id = this.#lastId;
    const forked = Promise.withResolvers<ForkedKernel>();
    // When the write below fails, nothing awaits this promise.
    forked.promise.catch(() => undefined);
    this.#forks.set(id, forked);
    const request: ForkRequest = {
      id,
      connection_file: options.connectionFile,
      cwd: options.cwd,
      env: options.env,
      argv: [...kernelArguments],
      stderr_log: options.logFile,
    };
    this.#write(`${JSON.stringify(request)}\n`);
    return { ...(await forked.promise), lastWords: () => readTail(options.logFile) };
  }

  async close(): Promise<void> {
    killGroup(this.#child.pid, "SIGKILL");
    await this.ended;
  }

  #write(line: string): void {
    // A server that is gone is noticed at the end of its output, with its last words; its broken pipe says nothing more.
    try {
      this.#child.stdin.write(line);
      Promise.resolve(this.#child.stdin.flush()).catch(() => undefined);
    } catch (error) {
      if (systemCode(error) !== "EPIPE") throw error;
    }
  }

  async #read(): Promise<void> {
    const stderr = new Response(this.#child.stderr).text();
    for await (const line of jsonLines(this.#child.stdout)) this.#receive(line as ForkServerMessage);
    this.#isOver = true;
    this.#release();
    await this.#child.exited;
    this.#ready.reject(serverError((await stderr).trim().split("\n").at(-1) || "it ended"));
    for (const fork of this.#forks.values()) fork.reject(serverError("it ended"));
    for (const [pid, onExit] of this.#kernels) {
      // Without its server the kernel's end would not be reported.
      killGroup(pid, "SIGKILL");
      onExit({ reason: "its fork server ended", expected: false, endedBy: "omp", signal: null });
    }
  }

  #receive(reply: ForkServerMessage): void {
    if ("ready" in reply) {
      this.isReady = reply.ready;
      if (reply.ready) this.#ready.resolve();
      else this.#ready.reject(serverError(reply.error));
      return;
    }
    if ("exited" in reply) {
      this.#kernels.get(reply.exited)?.(exitOf(reply.status, signalName(reply.signal)));
      this.#kernels.delete(reply.exited);
      return;
    }
    const fork = this.#forks.get(reply.id);
    this.#forks.delete(reply.id);
    if ("error" in reply) {
      fork?.reject(serverError(reply.error));
      return;
    }
    // Before the caller can wait for it: the kernel's end may be reported in the very next line.
    const exit = Promise.withResolvers<ProcessExit>();
    this.#kernels.set(reply.pid, exit.resolve);
    fork?.resolve({ pid: reply.pid, exited: exit.promise });
  }
}

function signalName(number: number | null): string | null {
  if (number === null) return null;
  const known = Object.entries(constants.signals).find(([, value]) => value === number);
  return known?.[0] ?? `signal ${number}`;
}

function serverError(issue: string): KernelError {
  return new KernelError({ kind: "start-failed", issue: `fork server: ${issue}`, code: "KERNEL_FORK" });
}
