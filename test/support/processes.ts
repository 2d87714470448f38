/** What runs on this machine, for tests that promise to leave nothing behind. */

import { existsSync, readdirSync, readFileSync } from "node:fs";

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
