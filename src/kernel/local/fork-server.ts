/**
 * Our end of `python/fork_server.py`: one warm Python process that has imported everything a kernel needs and forks one in a
 * tenth of the time a new process takes. Speaks JSON lines over its stdin and stdout; when its stdin ends it kills its
 * kernels and exits.
 */

import { type Confinement, confined } from "../../process/confinement.ts";
import { killGroup } from "../../process/group.ts";
import { Started } from "../../process/started.ts";
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
import type { LentPackages } from "../python/lend.ts";
import {
  exitOf,
  type KernelProcess,
  kernelArguments,
  type LaunchOptions,
  type ProcessExit,
  signalName,
} from "./kernel-process.ts";

/** How many ends of unknown processes are remembered. */
const MAX_STRANGERS = 100;

export type ForkedKernel = Pick<KernelProcess, "pid" | "started" | "exited">;

export interface ForkServerOptions {
  readonly python: string;
  readonly env: Readonly<Record<string, string>>;
  /** The directory of all its kernels. */
  readonly cwd: string;
  /** The sandbox that it runs in, and all of its kernels with it. */
  readonly confinement?: Confinement | undefined;
  /** For an interpreter without ipykernel. */
  readonly loan?: LentPackages | undefined;
}

export class ForkServer {
  /** Settles when kernels can be forked; rejects when the server ended first. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #release: () => void;
  readonly #started: Started;
  readonly #forks = new Map<number, PromiseWithResolvers<ForkedKernel>>();
  /** By the numbers that the server knows them by. */
  readonly #kernels = new Map<
    number,
    { readonly pid: number; readonly onExit: (exit: ProcessExit) => void }
  >();
  /** Processes that have ended and were not known, newest last. */
  readonly #strangers = new Set<number>();
  readonly #ready = Promise.withResolvers<void>();
  #lastId = 0;
  #isOver = false;
  /** True once kernels can be forked: from then on an answer is a matter of milliseconds. */
  isReady = false;

  constructor(options: ForkServerOptions) {
    const { cwd, env, confinement } = options;
    const argv = [options.python, ...forkServerArguments()];
    const command = confined(confinement, { argv, env, cwd }, { writable: [cwd] });
    this.#child = Bun.spawn(command.argv, {
      cwd: command.cwd,
      env: command.env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
    this.#started = new Started(this.#child.pid, confinement);
    this.#write(forkServerHello(options.loan));
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
      env: { ...options.env, ...options.confinement?.variables },
      argv: [...kernelArguments],
      stderr_log: options.logFile,
    };
    this.#write(`${JSON.stringify(request)}\n`);
    const isConfined = options.confinement !== undefined;
    return { ...(await forked.promise), isConfined, lastWords: () => readTail(options.logFile) };
  }

  /** A process that one of its kernels has made, and that is its child by now: a checkpoint, or a kernel that was woken. */
  adopt(innerPid: number): ForkedKernel {
    const pid = this.#started.childByInnerPid(innerPid);
    if (this.#isOver || pid === undefined || this.#strangers.delete(innerPid))
      throw serverError("the copy ended at once");
    const forked = this.#register(innerPid, pid);
    this.#write(`${JSON.stringify({ adopt: innerPid })}\n`);
    return forked;
  }

  async close(): Promise<void> {
    this.#started.kill();
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
    for (const { pid, onExit } of this.#kernels.values()) {
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
      const signal = reply.signal === null ? null : (signalName(reply.signal) ?? `signal ${reply.signal}`);
      const kernel = this.#kernels.get(reply.exited);
      kernel?.onExit(exitOf(reply.status, signal));
      if (kernel === undefined) this.#notice(reply.exited);
      this.#kernels.delete(reply.exited);
      return;
    }
    const fork = this.#forks.get(reply.id);
    this.#forks.delete(reply.id);
    if ("error" in reply) {
      fork?.reject(serverError(reply.error));
      return;
    }
    const pid = this.#started.childByInnerPid(reply.pid);
    if (pid === undefined) {
      fork?.reject(serverError("its kernel ended at once"));
      return;
    }
    // Before the caller can wait for it: the kernel's end may be reported in the very next line.
    const forked = this.#register(reply.pid, pid);
    fork?.resolve(forked);
  }

  #register(innerPid: number, pid: number): ForkedKernel {
    const exit = Promise.withResolvers<ProcessExit>();
    this.#kernels.set(innerPid, { pid, onExit: exit.resolve });
    return { pid, started: new Started(pid), exited: exit.promise };
  }

  /** The end of a process that may yet be adopted, or of one that a cell has left behind. */
  #notice(innerPid: number): void {
    this.#strangers.add(innerPid);
    const [oldest] = this.#strangers;
    if (oldest !== undefined && this.#strangers.size > MAX_STRANGERS) this.#strangers.delete(oldest);
  }
}

function serverError(issue: string): KernelError {
  return new KernelError({ kind: "start-failed", issue: `fork server: ${issue}`, code: "KERNEL_FORK" });
}
