/**
 * One set-up of the checkout at a time. A directory, because making one either works or fails; an owner that is gone
 * does not count.
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
  let told = false;
  // An owner writes its number right after making the directory: one without a number for this long has died between.
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
    if (!told && owner !== undefined) say(`waiting for another set-up of this checkout (process ${owner})`);
    told ||= owner !== undefined;
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
    // Another waiter was quicker.
    if (error.code !== "ENOENT") throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}
