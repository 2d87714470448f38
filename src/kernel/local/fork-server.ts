/**
 * Our end of `python/fork_server.py`: one warm Python process that has imported everything a kernel needs and forks one in a
 * tenth of the time a new process takes. Speaks JSON lines over its stdin and stdout; when its stdin ends it kills its
 * kernels and goes.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { killGroup } from "../../process/group.ts";
import { sharedWatchdog } from "../../process/watchdog.ts";
import { KernelError } from "../errors.ts";
import type { KernelExit } from "../kernel.ts";

const kernelSources: Record<string, string> = {};

import { jsonLines } from "./json-lines.ts";
import { exitOf, type KernelProcess, kernelArguments, type LaunchOptions, tailOf } from "./kernel-process.ts";

type Reply =
  | { readonly ready: true }
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: string }
  | { readonly exited: number; readonly status: number | null; readonly signal: string | null };

export interface ForkServerOptions {
  readonly python: string;
  readonly env: Readonly<Record<string, string>>;
  /** Private: holds the server's sources and log. */
  readonly directory: string;
}

export class ForkServer {
  /** Settles when kernels can be forked; rejects when the server ended first. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #release: () => void;
  readonly #forks = new Map<number, PromiseWithResolvers<number>>();
  readonly #kernels = new Map<number, (exit: KernelExit) => void>();
  readonly #ready = Promise.withResolvers<void>();
  #lastId = 0;
  #isOver = false;

  constructor(options: ForkServerOptions) {
    for (const [name, text] of Object.entries(kernelSources)) {
      writeFileSync(join(options.directory, name), text, { mode: 0o600 });
    }
    this.#child = Bun.spawn([options.python, join(options.directory, "fork_server.py")], {
      cwd: options.directory,
      env: { ...options.env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
    this.#release = sharedWatchdog().guardGroup(this.#child.pid);
    this.ready = this.#ready.promise;
    // Whoever awaits `ready` sees the failure; nobody has to.
    this.ready.catch(() => undefined);
    this.ended = this.#read();
  }

  async fork(options: LaunchOptions): Promise<KernelProcess> {
    await this.ready;
    if (this.#isOver) throw serverGone();
    this.#lastId += 1;
    const id = this.#lastId;
    const forked = Promise.withResolvers<number>();
    this.#forks.set(id, forked);
    this.#child.stdin.write(
      `${JSON.stringify({
        id,
        connection_file: options.connectionFile,
        cwd: options.cwd,
        env: options.env,
        argv: kernelArguments,
        stderr_log: options.logFile,
      })}\n`,
    );
    this.#child.stdin.flush();
    const pid = await forked.promise;
    const exit = Promise.withResolvers<KernelExit>();
    this.#kernels.set(pid, exit.resolve);
    return { pid, exited: exit.promise, lastWords: () => tailOf(options.logFile) };
  }

  async close(): Promise<void> {
    killGroup(this.#child.pid, "SIGKILL");
    await this.ended;
  }

  async #read(): Promise<void> {
    const stderr = new Response(this.#child.stderr).text();
    for await (const line of jsonLines(this.#child.stdout)) this.#receive(line as Reply);
    this.#isOver = true;
    this.#release();
    await this.#child.exited;
    this.#ready.reject(serverGone((await stderr).trim().split("\n").at(-1)));
    for (const fork of this.#forks.values()) fork.reject(serverGone());
    for (const [pid, onExit] of this.#kernels) {
      // Without its server nobody would tell us of the kernel's end.
      killGroup(pid, "SIGKILL");
      onExit({ reason: "its fork server ended", expected: false });
    }
  }

  #receive(reply: Reply): void {
    if ("ready" in reply) {
      this.#ready.resolve();
      return;
    }
    if ("exited" in reply) {
      this.#kernels.get(reply.exited)?.(exitOf(reply.status, reply.signal));
      this.#kernels.delete(reply.exited);
      return;
    }
    const fork = this.#forks.get(reply.id);
    this.#forks.delete(reply.id);
    if ("pid" in reply) fork?.resolve(reply.pid);
    else
      fork?.reject(
        new KernelError({ kind: "start-failed", issue: `fork: ${reply.error}`, code: "KERNEL_FORK" }),
      );
  }
}

function serverGone(lastWords = ""): KernelError {
  const why = lastWords ? `: ${lastWords}` : "";
  return new KernelError({ kind: "start-failed", issue: `the fork server ended${why}`, code: "KERNEL_FORK" });
}
