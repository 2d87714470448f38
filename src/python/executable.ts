/**
 * Is this file a program, and where on PATH is a program of this name? Only asks the file system: starts nothing.
 *
 * Always `stat`, never `Bun.file(path).exists()`: that is false for every directory.
 */

import { accessSync, constants, lstatSync, type Stats, statSync } from "node:fs";
import { delimiter, isAbsolute, resolve } from "node:path";
import { attempt, systemCode } from "../protocol/error.ts";
import { stubProblem } from "./apple-stub.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What keeps `path` from being run, or undefined when nothing does. */
export function executableProblem(
  path: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const stats = statOf(path);
  if (typeof stats === "string") return stats;
  const stub = stubProblem(path, { platform });
  if (stub !== undefined) return stub;
  if (stats.isDirectory()) return "is a directory";
  if (!stats.isFile()) return "is not a file";
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return "is not executable";
  }
}

/** What keeps `path` from being a directory to look into, or undefined when nothing does. */
export function directoryProblem(path: string): string | undefined {
  const stats = statOf(path);
  if (typeof stats === "string") return stats;
  return stats.isDirectory() ? undefined : "is not a directory";
}

export function isFile(path: string): boolean {
  const stats = statOf(path);
  return typeof stats !== "string" && stats.isFile();
}

/** The first program called `name` on the PATH of `env`. */
export function findOnPath(
  name: string,
  options: { env: Environment; cwd: string; platform?: NodeJS.Platform | undefined },
): string | undefined {
  const platform = options.platform ?? process.platform;
  const names = platform === "win32" && !/\.\w+$/.test(name) ? [`${name}.exe`, `${name}.cmd`] : [name];
  for (const directory of pathEntries(options.env, platform)) {
    for (const candidate of names) {
      const path = resolve(options.cwd, directory, candidate);
      if (executableProblem(path, platform) === undefined) return path;
    }
  }
  return undefined;
}

/** Windows spells it `Path` and does not care. */
export function pathVariable(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (platform !== "win32") return "PATH";
  return Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
}

/** Empty and relative entries would find a program in whatever directory omp is started in, so they are left out. */
function pathEntries(env: Environment, platform: NodeJS.Platform): string[] {
  return (env[pathVariable(env, platform)] ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
}

function statOf(path: string): Stats | string {
  try {
    return statSync(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") {
      return isLink(path) ? "is a link to a missing file" : "does not exist";
    }
    return `cannot be accessed (${code ?? "unknown error"})`;
  }
}

function isLink(path: string): boolean {
  return attempt(() => lstatSync(path).isSymbolicLink()) ?? false;
}
