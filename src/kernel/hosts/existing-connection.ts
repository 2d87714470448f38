/** The kernel that `--kernel` names: a connection file, the id of another omp's kernel, or a name among Jupyter's files. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { EnvironmentVariables, OmpPaths } from "../../config/paths.ts";
import type { Invocation } from "../../protocol/invocation.ts";
import type { ToolMode } from "../../python/tool-mode.ts";
import { connectionError, type ExistingConnection, readConnection } from "../existing/connection.ts";
import { findConnectionFile } from "../existing/find-file.ts";
import { runningKernels } from "../local/running-kernels.ts";
import { runtimeBases } from "./kernel-operations.ts";

/** Throws an OmpError in one line: bad usage. */
export function existingConnection(
  named: string,
  { env, cwd, paths, mode }: Invocation & { readonly paths: OmpPaths; readonly mode: ToolMode },
): ExistingConnection {
  if (mode === "bash-only")
    throw connectionError(
      "there is no python tool to use it: PI_PY or python.toolMode leaves bash only",
      "PYTHON_OFF",
    );
  const home = paths.userHome;
  const runtimeDirectory = jupyterRuntimeDirectory(env, home);
  const file =
    ofAnotherOmp(named, { env, cwd }) ?? findConnectionFile(named, { cwd, home, runtimeDirectory });
  return readConnection(file);
}

/** By the id that `omp kernel list` tells, unless there is a file of that name. */
function ofAnotherOmp(named: string, { env, cwd }: Invocation): string | undefined {
  if (!/^k\d+$/.test(named) || existsSync(resolve(cwd, named))) return undefined;
  return runningKernels(runtimeBases(env)).find(({ id }) => id === named)?.connectionFile;
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
