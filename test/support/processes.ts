/** The processes on this machine, for tests that check that nothing is left behind. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { listStats } from "../../src/process/proc.ts";
import { until } from "./until.ts";

/** The running processes of a group; zombies do not count. */
export function groupMembers(pgid: number): number[] {
  return listStats()
    .filter(({ group }) => group === pgid)
    .map(({ pid }) => pid);
}

/** Children of this process that still run; zombies do not count. */
export function childrenOf(pid: number): number[] {
  return listStats()
    .filter(({ parent }) => parent === pid)
    .map((stat) => stat.pid);
}

export function isRunning(pid: number): boolean {
  return listStats().some((stat) => stat.pid === pid);
}

/** Suspends a process as Ctrl+Z would, and waits until it is suspended. */
export async function stop(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await until(`process ${pid} is suspended`, () => isStopped(pid), {
    instead: () => listStats().find((stat) => stat.pid === pid),
  });
}

/** Whether all its threads are suspended: they do not all stop at the same moment. */
export function isStopped(pid: number): boolean {
  if (process.platform !== "linux")
    return listStats().some((stat) => stat.pid === pid && stat.state.startsWith("T"));
  return readdirSync(`/proc/${pid}/task`).every((thread) => / T \d/.test(readText(`/proc/${thread}/stat`)));
}

/** The pid that a program under test wrote into a file; undefined until the line is complete. */
export function pidIn(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  return text.endsWith("\n") ? Number(text) : undefined;
}

/**
 * Running processes with this variable in their environment (`HOME=/tmp/…`), including their children: forks inherit it, and no
 * program can hide it as it can its arguments.
 */
export function processesWith(variable: string): number[] {
  return listStats()
    .map(({ pid }) => pid)
    .filter((pid) => environmentOf(pid).includes(variable));
}

/** macOS shows the environment after the arguments. */
function environmentOf(pid: number): string[] {
  if (process.platform === "linux") return readText(`/proc/${pid}/environ`).split("\0");
  return Bun.spawnSync(["ps", "-E", "-ww", "-o", "command=", "-p", String(pid)])
    .stdout.toString()
    .split(/\s/);
}

/** Waits until every process that was started with this home has ended: one that was killed takes a moment. */
export async function nothingLeft({ home }: { readonly home: string }): Promise<void> {
  const remaining = () => processesWith(`HOME=${home}`);
  await until("every process started with this home has ended", () => remaining().length === 0, {
    instead: () =>
      listStats()
        .filter(({ pid }) => remaining().includes(pid))
        .map(({ pid, name }) => `${pid} ${name}`),
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Ended since the listing, or not readable for us.
    return "";
  }
}
