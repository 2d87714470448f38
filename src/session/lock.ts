/** One omp a session: a file beside the log that names the process. It is stale when that process is gone. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { systemCode } from "../protocol/index.ts";
import { SessionError } from "./errors.ts";

/** Returns the release. */
export function lockSession(id: string, logPath: string): () => void {
  const path = `${logPath}.lock`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
    const owner = ownerOf(path);
    if (owner !== undefined && isAlive(owner)) {
      const issue = `session ${id} is open in another omp (pid ${owner}); --fork ${id} works on a copy`;
      throw new SessionError({ kind: "in-use", issue, code: "IN_USE" });
    }
    rmSync(path, { force: true });
  }
  throw new SessionError({ kind: "in-use", issue: `session ${id} cannot be locked`, code: "IN_USE" });
}

function ownerOf(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}
