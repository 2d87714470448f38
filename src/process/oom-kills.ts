/** How many processes the system has killed because memory ran out, to distinguish a process that the system killed from one that another program killed. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../protocol/index.ts";

/** Where Linux counts: for the control group of this process, and for the whole machine. */
export interface OomCounters {
  readonly ownGroup: string;
  readonly groups: string;
  readonly machine: string;
}

const linux: OomCounters = {
  ownGroup: "/proc/self/cgroup",
  groups: "/sys/fs/cgroup",
  machine: "/proc/vmstat",
};

/** So far, in our own control group where the system counts by group; 0 where nothing is counted. */
export function countOomKills({ ownGroup, groups, machine }: OomCounters = linux): number {
  const group = /^0::(.*)$/m.exec(read(ownGroup))?.[1];
  const events = group === undefined ? "" : read(join(groups, group, "memory.events"));
  const counted = /^oom_kill (\d+)$/m.exec(events) ?? /^oom_kill (\d+)$/m.exec(read(machine));
  return Number(counted?.[1] ?? 0);
}

function read(file: string): string {
  return attempt(() => readFileSync(file, "utf8")) ?? "";
}
