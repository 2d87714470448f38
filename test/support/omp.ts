/** Runs the real launcher, as a user would, with a home of its own. */

import { resolve } from "node:path";
import type { TestPlace } from "./home.ts";

export const checkout = resolve(import.meta.dir, "../..");
export const launcher = resolve(checkout, "bin/omp");

export interface OmpRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface OmpOptions {
  readonly place: TestPlace;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  readonly env?: Record<string, string | undefined>;
}

/** The environment of a user who has set nothing: what the machine needs to run programs, and the test's home. */
export function userEnvironment(place: TestPlace, extra: Record<string, string | undefined> = {}) {
  return { PATH: process.env["PATH"], HOME: place.home, LANG: "C.UTF-8", ...extra };
}

export async function omp(args: readonly string[], options: OmpOptions): Promise<OmpRun> {
  const child = Bun.spawn([launcher, ...args], {
    cwd: options.cwd ?? options.place.project,
    env: userEnvironment(options.place, options.env),
    stdin: options.stdin === undefined ? "ignore" : Buffer.from(options.stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}
