/**
 * Allows one set-up of the checkout at a time. The lock is a directory, because making one is atomic; the lock of a process that has
 * ended is taken over, and an npm that it has left behind is ended first: two of them would undo each other's work.
 */

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { say } from "./checkout.mjs";
import { commandOf } from "./processes.mjs";

/** The owner writes its process id right after making the directory: without one for this long, it has died in between. */
const NAMELESS_FOR_MS = 2_000;

/**
 * @param {string} directory
 * @param {(lock: { directory: string, noteChild: (pid: number) => void }) => Promise<void>} work
 */
export async function whileLocked(directory, work) {
  let hasSaidSo = false;
  let namelessSince;
  while (!tryToMake(directory)) {
    const owner = pidIn(directory, "pid");
    if (owner === undefined) namelessSince ??= Date.now();
    const isGone =
      owner === undefined ? Date.now() - (namelessSince ?? 0) > NAMELESS_FOR_MS : !isSetUp(owner);
    if (isGone) {
      await endChild(directory);
      moveAway(directory, `${directory}.${process.pid}`);
      continue;
    }
    if (!hasSaidSo && owner !== undefined)
      say(`waiting for another set-up of this checkout (process ${owner})`);
    hasSaidSo ||= owner !== undefined;
    await wait(100);
  }
  try {
    await work({ directory, noteChild: (pid) => writeFileSync(join(directory, "npm"), `${pid}\n`) });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function tryToMake(directory) {
  try {
    mkdirSync(directory);
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  writeFileSync(join(directory, "pid"), String(process.pid));
  return true;
}

function pidIn(directory, name) {
  try {
    return Number(readFileSync(join(directory, name), "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

/** The number of a process that has ended may be another's by now. */
function isSetUp(pid) {
  return pid === process.pid || /\bscripts\/|\bnpm\b|^$/.test(commandOf(pid) ?? "-");
}

async function endChild(directory) {
  const npm = pidIn(directory, "npm");
  while (npm !== undefined && /\bnpm\b/.test(commandOf(npm) ?? "-")) {
    try {
      process.kill(npm, "SIGKILL");
    } catch {
      // It ended by itself, or is another user's.
      return;
    }
    await wait(20);
  }
}

function moveAway(directory, aside) {
  try {
    renameSync(directory, aside);
  } catch (error) {
    // Another waiting process was faster.
    if (error.code !== "ENOENT") throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}
