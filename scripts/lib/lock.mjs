/**
 * Allows one set-up of the checkout at a time. The lock is a directory, because making one is atomic; the lock of a process that has
 * ended is taken over.
 */

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { say } from "./checkout.mjs";

/**
 * @param {string} directory
 * @param {() => Promise<void>} work
 */
export async function whileLocked(directory, work) {
  let hasSaidSo = false;
  // The owner writes its process id right after making the directory: without one for this long, it has died in between.
  let namelessSince;
  while (!tryToMake(directory)) {
    const owner = ownerOf(directory);
    if (owner === undefined) namelessSince ??= Date.now();
    const isGone = owner === undefined ? Date.now() - (namelessSince ?? 0) > 2_000 : !lives(owner);
    if (isGone) {
      const aside = `${directory}.${process.pid}`;
      moveAway(directory, aside);
      continue;
    }
    if (!hasSaidSo && owner !== undefined)
      say(`waiting for another set-up of this checkout (process ${owner})`);
    hasSaidSo ||= owner !== undefined;
    await wait(100);
  }
  try {
    await work();
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

function ownerOf(directory) {
  try {
    return Number(readFileSync(join(directory, "pid"), "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
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
