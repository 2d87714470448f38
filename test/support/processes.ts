/** The processes on this machine, for tests that check that nothing is left behind. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { until } from "./until.ts";

/** The running processes of a group; zombies do not count. */
export function groupMembers(pgid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid);
      return stat !== undefined && stat.state !== "Z" && stat.pgrp === pgid;
    });
}

/** Children of this process that still run; zombies do not count. */
export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      const stat = statOf(each);
      return stat !== undefined && stat.state !== "Z" && stat.ppid === pid;
    });
}

export function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== "Z";
}

/** Suspends a process as Ctrl+Z would, and waits until it is suspended. */
export async function stop(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await until(`process ${pid} is suspended`, () => isStopped(pid), { instead: () => statOf(pid) });
}

/** Whether all its threads are suspended: they do not all stop at the same moment. */
export function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => statOf(Number(thread))?.state === "T");
}

/** The pid that a program under test wrote into a file; undefined until the line is complete. */
export function pidIn(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  return text.endsWith("\n") ? Number(text) : undefined;
}

function statOf(pid: number): { state: string; ppid: number; pgrp: number } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // Ended since the listing.
    return undefined;
  }
  const [state = "", ppid, pgrp] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state, ppid: Number(ppid), pgrp: Number(pgrp) };
}

/**
 * Running processes with this variable in their environment (`HOME=/tmp/…`), including their children: forks inherit it, and no
 * program can hide it as it can its arguments.
 */
export function processesWith(variable: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readText(`/proc/${name}/environ`).split("\0").includes(variable))
    .map(Number)
    .filter(isRunning);
}

/** Waits until every process that was started with this home has ended: one that was killed takes a moment. */
export async function nothingLeft({ home }: { readonly home: string }): Promise<void> {
  const remaining = () => processesWith(`HOME=${home}`);
  await until("every process started with this home has ended", () => remaining().length === 0, {
    instead: () =>
      remaining().map((pid) => `${pid} ${readText(`/proc/${pid}/cmdline`).replaceAll("\0", " ")}`),
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
