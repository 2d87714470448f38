/** What Linux says about processes in /proc. On other systems `ps` tells what runs, and the rest is undefined. */

import { readdirSync, readFileSync } from "node:fs";
import { attempt } from "../protocol/index.ts";
import { statsFromPs } from "./ps.ts";

export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  /** One letter: `R` running, `S` sleeping, `Z` ended and not waited for … */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the machine started; empty where that is not known. */
  readonly started: string;
}

/** Undefined when there is no such process. */
export function readStat(pid: number | "self"): ProcessStat | undefined {
  if (process.platform !== "linux") return undefined;
  return attempt(() => parseStat(readFileSync(`/proc/${pid}/stat`, "utf8")));
}

/** Every process that has not ended: zombies are left out. */
export function listStats(): ProcessStat[] {
  if (process.platform !== "linux") return statsFromPs();
  return readdirSync("/proc").flatMap((name) => {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    return stat === undefined || hasEnded(stat) ? [] : [stat];
  });
}

/** Whether this process was started so that a hang-up does not end it, as `nohup` does. SIGHUP is the mask's lowest bit. */
export function ignoresHangUp(): boolean {
  if (process.platform !== "linux") return false;
  const status = attempt(() => readFileSync("/proc/self/status", "utf8")) ?? "";
  const lowest = /^SigIgn:\s*\w*(\w)$/m.exec(status)?.[1] ?? "0";
  return Number.parseInt(lowest, 16) % 2 === 1;
}

/** How many files a process may have open; undefined when that is not known, or unlimited. */
export function descriptorLimit(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  const limits = attempt(() => readFileSync(`/proc/${pid}/limits`, "utf8")) ?? "";
  const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return limit === undefined ? undefined : Number(limit);
}

/** How many files a process has open; undefined when that is not known. */
export function openDescriptors(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  return attempt(() => readdirSync(`/proc/${pid}/fd`).length);
}

export function hasEnded({ state }: ProcessStat): boolean {
  return state === "Z" || state === "X";
}

/** `pid (name) state ppid pgrp session …`: the name may hold spaces and parentheses, so fields are counted from its end. */
function parseStat(stat: string): ProcessStat {
  const nameEnd = stat.lastIndexOf(")");
  const fields = stat.slice(nameEnd + 2).split(" ");
  return {
    pid: Number.parseInt(stat, 10),
    name: stat.slice(stat.indexOf("(") + 1, nameEnd),
    state: fields[0] ?? "",
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    started: fields[19] ?? "",
  };
}
