/** The kernel that `--kernel` names: a connection file, or its name among those of Jupyter. */

import { join } from "node:path";
import type { EnvironmentVariables } from "../config/paths.ts";
import { type ExistingConnection, readConnection } from "../kernel/existing/connection.ts";
import { findConnectionFile } from "../kernel/existing/find-file.ts";
import type { ModePlace } from "./io.ts";

/** Throws an OmpError in one line: bad usage. */
export function existingConnection(named: string, { env, cwd }: ModePlace, home: string): ExistingConnection {
  const runtimeDirectory = jupyterRuntimeDirectory(env, home);
  return readConnection(findConnectionFile(named, { cwd, home, runtimeDirectory }));
}

/** Where Jupyter's own tools put connection files. */
export function jupyterRuntimeDirectory(
  env: EnvironmentVariables,
  home: string,
  platform: NodeJS.Platform = process.platform,
): string {
  if (env["JUPYTER_RUNTIME_DIR"]) return env["JUPYTER_RUNTIME_DIR"];
  if (env["JUPYTER_DATA_DIR"]) return join(env["JUPYTER_DATA_DIR"], "runtime");
  if (platform === "darwin") return join(home, "Library", "Jupyter", "runtime");
  const data = env["XDG_DATA_HOME"] || join(home, ".local", "share");
  return join(data, "jupyter", "runtime");
}
