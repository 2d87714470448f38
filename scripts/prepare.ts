/**
 * The part of the set-up that runs on Bun: `bun scripts/prepare.ts <cwd> python|bundle|tests …`. Called by
 * scripts/lib/set-up.mjs with what is missing. Problems with Python are reported but not fatal: omp starts without it.
 */

import { resolve } from "node:path";
import { buildBundle } from "./bundle.ts";
import { preparePython } from "./prepare-python.ts";
import { prepareTestEnvironments } from "./prepare-tests.ts";

const root = resolve(import.meta.dir, "..");
const [cwd = process.cwd(), ...needs] = process.argv.slice(2);
const say = (text: string) => void process.stderr.write(`omp set-up: ${text}\n`);

const stop = new AbortController();
for (const [signal, exitCode] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => {
    process.exitCode = exitCode;
    stop.abort();
  });
}

const preparation = { root, cwd, env: process.env, signal: stop.signal, say };
try {
  if (needs.includes("bundle")) {
    say("bundling omp");
    // Without a bundle the launcher runs the sources, which is slower.
    await buildBundle(root).catch((error: unknown) =>
      say(`no bundle, running from the sources: ${reason(error)}`),
    );
  }
  if (needs.includes("python")) await preparePython(preparation);
  if (needs.includes("tests") && !(await prepareTestEnvironments(preparation))) process.exitCode = 1;
} catch (error) {
  if (!stop.signal.aborted) throw error;
}

function reason(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
