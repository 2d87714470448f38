/**
 * The kernels on this machine of every omp of this user, found by the records in their private directories (see runtime-directory.ts).
 * For `omp kernel`, which has started none of them.
 */

import { lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { killGroup } from "../../process/group.ts";
import { isAlive } from "../../process/identity.ts";
import { attempt, systemCode } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";
import { namesIn, readJsonFile } from "../files.ts";
import { JupyterClient } from "../jupyter/client.ts";
import { Channels } from "./channels.ts";
import { isComplete, readConnectionFile } from "./connection-file.ts";
import { markStopped } from "./stop-mark.ts";

const RECORD_FILE = "owner.json";
const ANSWER_MS = 2_000;
const SHUTDOWN_GRACE_MS = 1_000;
const POLL_MS = 20;

/** The file in a kernel's private directory that says whose it is. */
export interface KernelRecord {
  /** The kernel's process, which leads a process group of its own. */
  readonly pid: number;
  /** The omp that started it. */
  readonly owner: number;
  readonly python: string;
  readonly cwd: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly connectionFile: string;
}

export interface RunningKernel extends KernelRecord {
  readonly id: string;
  /** What its omp keeps about it. */
  readonly directory: string;
}

/** @param bases where omps make their directories; the same ones that kernels are started with. */
export function runningKernels(bases: readonly string[]): readonly RunningKernel[] {
  const found = [...new Set(bases)].flatMap(ownDirectories).flatMap(kernelsIn);
  return found.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
}

/** Whether its heartbeat answers; a kernel that is busy answers too. */
export async function isResponding(kernel: RunningKernel): Promise<boolean> {
  return (await withChannels(kernel, (channels) => channels.beat(ANSWER_MS))) ?? false;
}

/** Asks it to end, as its own omp would, and kills it when it does not. A mark in its directory says so to its omp. */
export async function stopKernel(kernel: RunningKernel): Promise<void> {
  markStopped(kernel.directory);
  await withChannels(kernel, async (channels) => {
    new JupyterClient(channels).request("control", "shutdown_request", { restart: false });
    await waitForEnd(kernel, SHUTDOWN_GRACE_MS);
  });
  if (isThere(kernel)) killGroup(kernel.pid, "SIGKILL");
  await waitForEnd(kernel, ANSWER_MS);
}

/** Its omp removes the directory when it has reaped it; the pid may belong to another process then. */
function isThere(kernel: RunningKernel): boolean {
  return readKernelRecord(kernel.directory)?.pid === kernel.pid && isAlive(kernel.pid);
}

async function waitForEnd(kernel: RunningKernel, limitMs: number): Promise<void> {
  const until = Date.now() + limitMs;
  while (isThere(kernel) && Date.now() < until) await Bun.sleep(POLL_MS);
}

async function withChannels<T>(
  { connectionFile }: RunningKernel,
  work: (channels: Channels) => Promise<T>,
): Promise<T | undefined> {
  const info = readConnectionFile(connectionFile);
  if (info === undefined || !isComplete(info)) return undefined;
  const limit = AbortSignal.timeout(ANSWER_MS);
  const opening = Channels.open({
    info,
    signal: limit,
    trace: undefined,
    onMessage: () => undefined,
    onLost: () => undefined,
  });
  let channels: Channels;
  try {
    channels = await opening;
  } catch (error) {
    if (limit.aborted || systemCode(error) !== undefined) return undefined;
    throw error;
  }
  try {
    return await work(channels);
  } finally {
    channels.close();
  }
}

/** `<base>/omp-<uid>/<pid>-<random>`, and `<base>/omp-<pid>-<random>` where another user had taken the first. */
export function ownDirectories(base: string): string[] {
  const uid = process.getuid?.() ?? 0;
  const shared = join(base, `omp-${uid}`);
  const alone = namesIn(base).filter((name) => /^omp-\d+-\w+$/.test(name));
  return [
    ...(isOwn(shared, uid) ? namesIn(shared).map((name) => join(shared, name)) : []),
    ...alone.map((name) => join(base, name)),
  ].filter((directory) => isOwn(directory, uid));
}

/** Only what no other user could have written: the record names a process to kill. */
function isOwn(directory: string, uid: number): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0;
}

function kernelsIn(directory: string): RunningKernel[] {
  return namesIn(directory).flatMap((name) => {
    // Other directories can be written by kernels in a sandbox.
    if (!/^k\d+$/.test(name)) return [];
    const kernel = join(directory, name);
    const record = readKernelRecord(kernel);
    if (record === undefined || !isAlive(record.owner) || !isAlive(record.pid)) return [];
    return [{ ...record, id: `k${record.pid}`, directory: kernel }];
  });
}

export function writeKernelRecord(
  directory: string,
  kernel: Pick<KernelRecord, "pid" | "python" | "cwd" | "connectionFile">,
): void {
  const record: KernelRecord = { ...kernel, owner: process.pid, startedAt: new Date().toISOString() };
  const write = () => writeFileSync(join(directory, RECORD_FILE), JSON.stringify(record), { mode: 0o600 });
  // The kernel ended at once, and its directory with it; or the disk is full. A kernel that is not listed still works.
  attempt(write);
}

/** Undefined when there is none, or an incomplete one: it is removed with its kernel, at any moment. */
function readKernelRecord(directory: string): KernelRecord | undefined {
  const record = readJsonFile(join(directory, RECORD_FILE));
  return isKernelRecord(record) ? record : undefined;
}

function isKernelRecord(value: unknown): value is KernelRecord {
  const { pid, owner, python, cwd, startedAt, connectionFile } = asRecord(value);
  return (
    Number.isSafeInteger(pid) &&
    Number.isSafeInteger(owner) &&
    [python, cwd, startedAt, connectionFile].every((text) => typeof text === "string")
  );
}
