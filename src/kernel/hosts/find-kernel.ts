/**
 * Which existing kernel `--kernel` names: a connection file, the id of another omp's kernel, or, as Jupyter's own tools have it, a name
 * or a part of one among the connection files in Jupyter's runtime directory: `kernel-1234.json`, `1234`, the start of a notebook's
 * kernel id.
 */

import { existsSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { EnvironmentVariables, OmpPaths } from "../../config/paths.ts";
import type { Invocation } from "../../protocol/invocation.ts";
import { runtimeBases } from "../../python/runtime-bases.ts";
import type { ToolMode } from "../../python/tool-mode.ts";
import { connectionError, type ExistingConnection, readConnection } from "../existing/connection.ts";
import { namesIn } from "../files.ts";
import { runningKernels } from "../local/running-kernels.ts";

/** Throws an OmpError in one line: bad usage. */
export function findExistingKernel(
  named: string,
  { env, cwd, paths, toolMode }: Invocation & { readonly paths: OmpPaths; readonly toolMode: ToolMode },
): ExistingConnection {
  if (toolMode === "bash-only")
    throw connectionError(
      "there is no python tool to use it: PI_PY or python.toolMode leaves bash only",
      "PYTHON_OFF",
    );
  const home = paths.userHome;
  const runtimeDirectory = jupyterRuntimeDirectory(env, home);
  const file =
    fileOfOtherOmp(named, { env, cwd }) ?? findConnectionFile(named, { cwd, home, runtimeDirectory });
  return readConnection(file);
}

/** By the id that `omp kernel list` shows, unless there is a file of that name. */
function fileOfOtherOmp(named: string, { env, cwd }: Invocation): string | undefined {
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

export interface SearchDirectories {
  readonly cwd: string;
  readonly home: string;
  /** Where names are looked up. */
  readonly runtimeDirectory: string;
}

/** The full path. Throws an OmpError when a name fits no file, or more than one. */
export function findConnectionFile(
  named: string,
  { cwd, home, runtimeDirectory }: SearchDirectories,
): string {
  if (named.trim() === "") throw connectionError("names no connection file", "USAGE");
  const path = resolve(cwd, named.replace(/^~(?=\/)/, home));
  const isName = !named.includes("/") && !named.includes(sep);
  if (!isName || statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  const files = connectionFiles(runtimeDirectory);
  const exact = files.find((file) => [named, `${named}.json`, `kernel-${named}.json`].includes(file));
  const [found, ...others] = exact === undefined ? files.filter((file) => file.includes(named)) : [exact];
  if (found === undefined)
    throw connectionError(
      `no file '${named}' in ${cwd}, and no kernel of that name in ${runtimeDirectory}`,
      "ENOENT",
    );
  if (others.length > 0)
    throw connectionError(
      `'${named}' matches ${others.length + 1} files in ${runtimeDirectory}: ${listFew([found, ...others])}`,
      "AMBIGUOUS",
    );
  return join(runtimeDirectory, found);
}

const MAX_NAMED = 4;

function listFew(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

/** A server's own files are there, too. */
function connectionFiles(directory: string): string[] {
  return namesIn(directory)
    .filter((name) => name.endsWith(".json") && !/^(?:jpserver|nbserver|jupyter)/.test(name))
    .sort();
}
