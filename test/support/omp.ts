/** Runs the real launcher, as a user would, with a home of its own. */

import { resolve } from "node:path";
import type { TestPlace } from "./home.ts";
import { runLimitMs, withinLimit } from "./limits.ts";

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

/** The environment of a user who has set no variables: what programs need to run, and the test's home. */
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
  const written = { stdout: "", stderr: "" };
  const reading = Promise.all([
    collect(child.stdout, (text) => {
      written.stdout += text;
    }),
    collect(child.stderr, (text) => {
      written.stderr += text;
    }),
    child.exited,
  ]);
  const [, , exitCode] = await withinLimit(reading, runLimitMs(), () => {
    child.kill("SIGKILL");
    return `omp ${args.join(" ")} is still running; it wrote ${Bun.inspect(written)}`;
  });
  return { exitCode, ...written };
}

async function collect(stream: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) onText(decoder.decode(chunk, { stream: true }));
  onText(decoder.decode());
}
