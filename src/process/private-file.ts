/** A file that only the user can read, for as long as a call lasts; removed afterwards however the call, or omp, ended. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attempt, OmpError, systemCode } from "../protocol/index.ts";
import { ProcessError } from "./spawn-fresh.ts";
import { sharedWatchdog, type Watchdog } from "./watchdog.ts";

export interface PrivateFile {
  readonly name: string;
  readonly content: string;
  readonly watchdog?: Watchdog;
}

export async function withPrivateFile<T>(
  { name, content, watchdog = sharedWatchdog() }: PrivateFile,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const { directory, release } = makeDirectory(watchdog);
  try {
    const path = join(directory, name);
    makeOrFail(() => writeFileSync(path, content, { mode: 0o600, flag: "wx" }));
    return await use(path);
  } finally {
    // Not released when it could not be removed (the program locked its own directory): the watchdog tries again.
    if (remove(directory)) release();
  }
}

function makeDirectory(watchdog: Watchdog): { directory: string; release: () => void } {
  // mkdtemp makes it 0700 under a name that cannot be predicted.
  const directory = makeOrFail(() => mkdtempSync(join(tmpdir(), "omp-")));
  try {
    return { directory, release: watchdog.guardDirectory(directory) };
  } catch (error) {
    remove(directory);
    throw error;
  }
}

function remove(directory: string): boolean {
  return (
    attempt(() => {
      rmSync(directory, { recursive: true, force: true });
      return true;
    }) ?? false
  );
}

function makeOrFail<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || error instanceof OmpError) throw error;
    const issue = `temporary file could not be made in '${tmpdir()}'`;
    throw new ProcessError("failed", { issue, code }, { cause: error });
  }
}
