/** The file in a kernel's private directory that says whose it is, for `omp kernel` of the same user. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";
import { readJsonFile } from "../files.ts";

const FILE = "owner.json";

export interface KernelRecord {
  /** The kernel's process, which leads a process group of its own. */
  readonly pid: number;
  /** The omp that started it. */
  readonly owner: number;
  readonly python: string;
  readonly cwd: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

export function writeKernelRecord(
  directory: string,
  kernel: Pick<KernelRecord, "pid" | "python" | "cwd">,
): void {
  const record: KernelRecord = { ...kernel, owner: process.pid, startedAt: new Date().toISOString() };
  try {
    writeFileSync(join(directory, FILE), JSON.stringify(record), { mode: 0o600 });
  } catch (error) {
    // The kernel ended at once, and its directory with it; or the disk is full. A kernel that is not listed still works.
    if (systemCode(error) === undefined) throw error;
  }
}

/** Undefined when there is none, or an incomplete one: it is removed with its kernel, at any moment. */
export function readKernelRecord(directory: string): KernelRecord | undefined {
  const record = readJsonFile(join(directory, FILE));
  return isKernelRecord(record) ? record : undefined;
}

function isKernelRecord(value: unknown): value is KernelRecord {
  const { pid, owner, python, cwd, startedAt } = asRecord(value);
  return (
    Number.isSafeInteger(pid) &&
    Number.isSafeInteger(owner) &&
    [python, cwd, startedAt].every((text) => typeof text === "string")
  );
}
