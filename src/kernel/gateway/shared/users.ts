/**
 * The users of the shared gateway: one small file for each in `users/`, with a process id, its start time and the ids of its kernels.
 * A user that was killed is recognised by its file.
 */

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { identityOf, isRunning } from "../../../process/identity.ts";
import { systemCode } from "../../../protocol/index.ts";
import { asRecord } from "../../../protocol/record.ts";
import { replaceJsonFile } from "../../files.ts";

export interface GatewayUser {
  /** Its file's name. */
  readonly name: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
  readonly kernels: readonly string[];
}

export interface Registration {
  readonly name: string;
  /** Never throws: a file that cannot be written keeps its old content. */
  setKernels(ids: readonly string[]): void;
  remove(): void;
}

export function usersDirectory(directory: string): string {
  return join(directory, "users");
}

/** Registers this process. Its file is complete when this returns. */
export function register(directory: string): Registration {
  const users = usersDirectory(directory);
  const name = `${process.pid}-${crypto.randomUUID().slice(0, 8)}.json`;
  const file = join(users, name);
  const self = { ...identityOf(process.pid), since: new Date().toISOString() };
  const write = (kernels: readonly string[]) => replaceJsonFile(file, { ...self, kernels });
  write([]);
  let isRemoved = false;
  return {
    name,
    setKernels: (ids) => {
      if (isRemoved) return;
      try {
        write(ids);
      } catch (error) {
        if (systemCode(error) === undefined) throw error;
      }
    },
    remove: () => {
      isRemoved = true;
      rmSync(file, { force: true });
    },
  };
}

/** Users whose process runs. */
export function livingUsers(directory: string): GatewayUser[] {
  return userFiles(directory).flatMap((name) => {
    const user = readUser(join(usersDirectory(directory), name));
    if (user === undefined || !isRunning(user)) return [];
    const { pid, since, kernels } = user;
    return [{ name, pid, since, kernels }];
  });
}

export function removeDeadUsers(directory: string): void {
  for (const name of userFiles(directory)) {
    const file = join(usersDirectory(directory), name);
    const user = readUser(file);
    if (user === undefined || !isRunning(user)) rmSync(file, { force: true });
  }
}

function userFiles(directory: string): string[] {
  try {
    return readdirSync(usersDirectory(directory)).filter((name) => name.endsWith(".json"));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Errors other than a missing file are thrown: a user that cannot be read still uses the gateway. */
function readUser(file: string) {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    // Removed since the listing, or not written by omp.
    if (error instanceof SyntaxError || systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const { pid, started, since, kernels } = asRecord(value);
  if (typeof pid !== "number") return undefined;
  return {
    pid,
    started: typeof started === "string" ? started : undefined,
    since: typeof since === "string" ? since : "",
    kernels: Array.isArray(kernels) ? kernels.filter((id) => typeof id === "string") : [],
  };
}
