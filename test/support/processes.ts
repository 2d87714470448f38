/** What runs on this machine, for tests that promise to leave nothing behind. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { until } from "./until.ts";

/** Process ids of a group that still run; zombies do not count. */
export function groupMembers(pgid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid);
      return stat !== undefined && stat.state !== "Z" && stat.pgrp === pgid;
    });
}

export function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== "Z";
}

/** Stops a process as Ctrl+Z would, and waits until it stands still. */
export async function stop(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await until("it has stopped", () => isStopped(pid));
}

export function isStopped(pid: number): boolean {
  return statOf(pid)?.state === "T";
}

/** A pid that a program under test wrote into a file, once it is there in full (with its newline). */
export function pidIn(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  return text.endsWith("\n") ? Number(text) : undefined;
}

function statOf(pid: number): { state: string; pgrp: number } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // Gone between the listing and now.
    return undefined;
  }
  const [state = "", , pgrp] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state, pgrp: Number(pgrp) };
}

/**
 * Processes that were started with this in their environment (`HOME=/tmp/…`), or below one that was: a mark that forks
 * and children inherit, and that no argument list hides.
 */
export function processesWith(variable: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readText(`/proc/${name}/environ`).split("\0").includes(variable))
    .map(Number)
    .filter(isRunning);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Gone between the listing and now, or not ours to read.
    return "";
  }
}
