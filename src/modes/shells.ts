/** A session's shells, put together: the user's snapshot, the environment, a private place. Loaded with the first command. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OmpPaths } from "../config/paths.ts";
import type { LeftRunning } from "../shell/shells.ts";
import { takeSnapshot } from "../shell/snapshot.ts";

export interface ShellsPlace {
  readonly cwd: string;
  readonly paths: OmpPaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The filtered environment. */
  readonly shellEnv: Readonly<Record<string, string>>;
  readonly warn: (line: string) => void;
}

/** The file with what the user's login shell knows, taken once; undefined when it could not be had in time. */
export async function snapshotFile({ paths, env, shellEnv, warn }: ShellsPlace): Promise<string | undefined> {
  const directory = join(paths.home, "agent", "cache");
  const snapshot = await takeSnapshot({ shell: env["SHELL"], env: shellEnv, directory });
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
