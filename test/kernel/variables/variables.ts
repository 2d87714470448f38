/** Kernels whose variables are kept, and kernels that get them. */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Kernel } from "../../../src/kernel/kernel.ts";
import { type KeepOptions, keepVariables } from "../../../src/kernel/variables/keep-variables.ts";
import { KeptFile, type KeptVariables, readKeptFile } from "../../../src/kernel/variables/kept-file.ts";
import { attachVariables } from "../../../src/kernel/variables/restore-variables.ts";
import { lentCloudpickle } from "../../../src/python/lent-cloudpickle.ts";
import { runCell } from "../../support/kernels.ts";
import { testPython } from "../../support/python.ts";

/** As the managed environment would lend it. */
export const lent = lentCloudpickle({ pythonEnvironment: testPython.venv, pythonLoans: "/nonexistent" });

export const fixture = (name: string) => readFileSync(join(import.meta.dir, name), "utf8");

const ROOMY = { valueBytes: 1e9, totalBytes: 1e9, seconds: 60, isVisible: true, lent };

/** Keeps the kernel's variables in `<directory>/kept`. */
export async function keepIn(
  directory: string,
  kernel: Kernel,
  options: Partial<KeepOptions> = {},
): Promise<KeptVariables> {
  const file = new KeptFile(join(directory, "kept"));
  const { signal } = new AbortController();
  const { index, bytes } = await keepVariables(kernel, { ...ROOMY, path: file.partial, signal, ...options });
  return file.commit({ index, session: "s", savedAt: "now", sandbox: "off" }, bytes, join(directory, "key"));
}

export function readIn(directory: string) {
  return readKeptFile(join(directory, "kept"), join(directory, "key"));
}

/** Throws when the file is not accepted. */
export async function restoreIn(directory: string, kernel: Kernel, { isVisible = true, lends = lent } = {}) {
  const kept = readIn(directory);
  if (kept === undefined || "refused" in kept) throw new Error(`not accepted: ${kept?.refused}`);
  await attachVariables(kernel, { kept, isVisible, lent: lends });
}

/** Runs each as a cell. @returns what went wrong. */
export async function failuresOf(kernel: Kernel, checks: readonly string[]): Promise<string[]> {
  const failures: string[] = [];
  for (const code of checks) {
    const { error, evalue, stderr } = await runCell(kernel, code);
    if (error !== undefined || stderr !== "") failures.push(`${code}: ${error} ${evalue} ${stderr}`);
  }
  return failures;
}

export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
