/** A session's shells, put together: the user's snapshot, the environment, a private place. Loaded with the first command. */

import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { OmpPaths } from "../config/paths.ts";
import type { LeftRunning } from "../shell/shells.ts";
import { snapshotPath, takeSnapshot } from "../shell/snapshot.ts";

export interface ShellsPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The filtered environment. */
  readonly shellEnv: Readonly<Record<string, string>>;
  /** Where the snapshot goes: kernels are told before it is taken. */
  readonly snapshotPath: string;
  readonly warn: (line: string) => void;
}

/** The variable that tells a kernel's `bash()` of the snapshot; it looks for the file with each call. */
export const snapshotVariable = "OMP_SHELL_SNAPSHOT";

export function newSnapshotPath({ home }: OmpPaths): string {
  return snapshotPath(join(home, "agent", "cache"));
}

/** The file with what the user's login shell knows, taken once; undefined when it could not be had in time. */
export async function snapshotFile({
  env,
  shellEnv,
  snapshotPath,
  warn,
}: ShellsPlace): Promise<string | undefined> {
  const directory = dirname(snapshotPath);
  const snapshot = await takeSnapshot({ shell: env["SHELL"], env: shellEnv, directory, path: snapshotPath });
  if (snapshot.problem !== undefined) warn(snapshot.problem);
  return snapshot.path;
}

export function runtimeBase(env: ShellsPlace["env"]): string {
  return env["XDG_RUNTIME_DIR"] || tmpdir();
}

/** What was ended with the session, one line each. */
export function leftRunningLines({ shells, jobs }: LeftRunning): string[] {
  return [
    ...shells.map(
      ({ id, command }) => `omp: background shell ${id} was still running and was ended: ${command}`,
    ),
    ...jobs.map((name) => `omp: ${name}, left running with &, was ended`),
  ];
}
