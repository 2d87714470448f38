/** What is known of a process from its number. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * The command line; "" where it cannot be found out.
 * @param {number} pid
 * @returns {string | undefined} undefined when there is no such process
 */
export function commandOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== "EPERM") return undefined;
  }
  if (process.platform === "linux") {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      // One that has ended, and whose parent has not asked how, has none.
      return command === "" ? undefined : command;
    } catch {
      return "";
    }
  }
  return spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim() ?? "";
}
