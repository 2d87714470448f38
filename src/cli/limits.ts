/** Limits of the system under which the runtime would crash, or leave files that nobody can open. Checked before anything else is loaded. */

import { readdirSync, readFileSync } from "node:fs";

/** Threads of the runtime, the watchdog, a shell and its command. */
const NEEDED = 12;
/** With more than this nobody needs to count. */
const PLENTY = 512;
const OWNER = 0o700;

/** @returns why omp cannot run, as one line; undefined when it can. */
export function checkLimits(): string | undefined {
  // Programs inherit it: with an owner who may not read his own files neither they nor omp would work.
  const mask = process.umask();
  if ((mask & OWNER) !== 0) process.umask(mask & ~OWNER);
  const limit = threadLimit();
  if (limit === undefined || limit >= PLENTY) return undefined;
  const running = ownThreads();
  if (limit >= running + NEEDED) return undefined;
  return `omp: your limit is ${limit} processes and threads, and ${running} are running; omp needs ${NEEDED} more; raise the limit: ulimit -u 1024 (EAGAIN)`;
}

/** Undefined where there is none: it does not bind the super-user. */
function threadLimit(): number | undefined {
  if (process.platform !== "linux" || process.getuid?.() === 0) return undefined;
  const limit = /^Max processes\s+(\d+)/m.exec(read("/proc/self/limits"))?.[1];
  return limit === undefined ? undefined : Number(limit);
}

function ownThreads(): number {
  const uid = String(process.getuid?.());
  const counts = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => read(`/proc/${pid}/status`))
    .filter((status) => /^Uid:\s+(\d+)/m.exec(status)?.[1] === uid)
    .map((status) => Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
