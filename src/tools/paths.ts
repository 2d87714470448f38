/** From a path that a model wrote (relative, `~`, `@project/…`) to a full one, and back to the short form that results show. */

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { systemCode, type ToolContext } from "../protocol/index.ts";
import { ToolError } from "./tool-error.ts";

const PROJECT = "@project";

export interface LocatedPath {
  /** Absolute; links are not followed yet. */
  readonly path: string;
  /** Relative to the working directory where it is inside. */
  readonly shown: string;
}

export interface PathRequest {
  readonly operation: string;
  readonly requested: string;
  readonly context: Pick<ToolContext, "cwd" | "projectRoot" | "sandbox">;
  readonly home: string;
}

export function locate({ operation, requested, context, home }: PathRequest): LocatedPath {
  const { cwd, projectRoot, sandbox } = context;
  const path = resolve(cwd, inProject(operation, requested, projectRoot) ?? expandHome(requested, home));
  return { path: sandbox?.outside(path) ?? path, shown: shortPath(path, cwd) };
}

/** `~` and `~/…` as a shell reads them. */
export function expandHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}

export function shortPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  if (inside === "") return ".";
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside;
}

/** Undefined for a path without the prefix. */
function inProject(operation: string, requested: string, projectRoot: string): string | undefined {
  if (requested !== PROJECT && !requested.startsWith(`${PROJECT}/`)) return undefined;
  const inside = requested.slice(PROJECT.length + 1);
  // The prefix promises the project.
  if (inside.split(/[\\/]/).includes("..")) {
    const issue = `'${requested}' must not contain '..'`;
    throw new ToolError({ operation, issue, code: "OUTSIDE_PROJECT" });
  }
  return join(projectRoot, inside);
}

export interface ScriptRequest {
  readonly operation: string;
  readonly file: string;
  /** What a plain relative path is relative to. */
  readonly cwd: string;
  readonly projectRoot: string;
  readonly sandbox?: ToolContext["sandbox"];
}

/** The `file` of `python_run`: the full path of an existing, readable file, as programs call it. `@project/…` cannot lead out of the project. */
export function resolveScript({ operation, file, cwd, projectRoot, sandbox }: ScriptRequest): string {
  const projectFile = inProject(operation, file, projectRoot);
  const named = projectFile ?? resolve(cwd, file);
  const path = sandbox?.outside(named) ?? named;
  const fileError = (problem: string, code: string, cause?: unknown) =>
    new ToolError({ operation, issue: `File ${problem} '${named}'`, code }, { cause });
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) throw fileError("is a directory", "EISDIR");
    // A pipe or a device could keep Python waiting, or feed it anything.
    if (!stat.isFile()) throw fileError("is not a regular file", "EINVAL");
    accessSync(path, constants.R_OK);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const code = systemCode(error) ?? "UNKNOWN";
    if (code === "ENOENT" || code === "ENOTDIR") throw fileError("does not exist", code, error);
    throw fileError(code === "EACCES" ? "cannot be read: permission denied" : "cannot be used", code, error);
  }
  // With links followed: one inside the project may lead anywhere.
  if (projectFile !== undefined && !realpathSync(path).startsWith(join(realpathSync(projectRoot), sep))) {
    throw new ToolError({ operation, issue: `'${file}' leads out of the project`, code: "OUTSIDE_PROJECT" });
  }
  return named;
}
