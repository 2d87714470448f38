/**
 * A real shell in a place of its own. Every file that uses it says `afterEach(closeShells)`: bun runs the hooks of an
 * imported module only for the first file that imports it.
 */

import type { RunOptions } from "../../src/shell/run-options.ts";
import type { ShellOutcome } from "../../src/shell/shell-outcome.ts";
import { openShells, type Shells, type ShellsOptions } from "../../src/shell/shells.ts";
import { temporaryDirectory } from "../support/home.ts";

const open: Shells[] = [];

export async function closeShells(): Promise<void> {
  for (const shells of open.splice(0)) await shells.close();
}

export const shellEnv = { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8" };

export function testShells(options: Partial<ShellsOptions> = {}): { shells: Shells; cwd: string } {
  const cwd = options.cwd ?? temporaryDirectory();
  const memoryBase = options.memoryBase ?? options.runtimeBases?.at(-1);
  const shells = openShells({ env: { ...shellEnv, HOME: cwd }, ...options, memoryBase, cwd });
  open.push(shells);
  return { shells, cwd };
}

export interface ShellRun extends Omit<ShellOutcome, "durationMs"> {
  readonly stdout: string;
  readonly stderr: string;
}

export type Run = (command: string, options?: Partial<RunOptions>) => Promise<ShellRun>;

export function runner(shells: Shells): Run {
  return async (command, options = {}) => {
    const shell = await shells.persistent();
    const stdout: Uint8Array[] = [];
    const stderr: Uint8Array[] = [];
    const { durationMs, ...outcome } = await shell.run(command, {
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      ...options,
      onStdout: (chunk) => {
        stdout.push(chunk);
        options.onStdout?.(chunk);
      },
      onStderr: (chunk) => {
        stderr.push(chunk);
        options.onStderr?.(chunk);
      },
    });
    if (durationMs < 0) throw new Error("a negative duration");
    return { ...outcome, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
  };
}

/** A shell, where it is, and a short way to what a command prints. */
export function testShell(options: Partial<ShellsOptions> = {}) {
  const { shells, cwd } = testShells(options);
  const run = runner(shells);
  const print = async (command: string) => (await run(command)).stdout;
  return { shells, cwd, run, print };
}

/** A command that ended by itself, in the shell that it started in. */
export function plain(cwd: string, parts: Partial<ShellRun> = {}): ShellRun {
  const calm = {
    signal: null,
    timedOut: false,
    cancelled: false,
    replaced: false,
    notes: [],
    late: undefined,
  };
  return { exitCode: 0, stdout: "", stderr: "", cwd, ...calm, ...parts };
}
