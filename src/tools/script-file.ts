/** The `file` of `python_run`: a path, or `@project/…`, which cannot leave the project. */

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { systemCode } from "../protocol/index.ts";
import { ToolError } from "./tool-error.ts";

const projectPrefix = "@project/";

export interface ScriptFile {
  readonly operation: string;
  readonly file: string;
  /** What a plain relative path is relative to. */
  readonly cwd: string;
  readonly projectRoot: string;
}

/** The full path of an existing, readable file. */
export function scriptFile(request: ScriptFile): string {
  const { operation, file } = request;
  const path = locate(request);
  const refuse = (problem: string, code: string, cause?: unknown) =>
    new ToolError({ operation, issue: `File ${problem} '${path}'`, code }, { cause });
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) throw refuse("is a directory", "EISDIR");
    // A pipe or a device could keep Python waiting, or feed it who knows what.
    if (!stat.isFile()) throw refuse("is not a regular file", "EINVAL");
    accessSync(path, constants.R_OK);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const code = systemCode(error) ?? "UNKNOWN";
    if (code === "ENOENT" || code === "ENOTDIR") throw refuse("does not exist", code, error);
    throw refuse(code === "EACCES" ? "may not be read" : "cannot be used", code, error);
  }
  if (file.startsWith(projectPrefix)) checkInside(request, path);
  return path;
}

function locate({ operation, file, cwd, projectRoot }: ScriptFile): string {
  if (!file.startsWith(projectPrefix)) return resolve(cwd, file);
  const inside = file.slice(projectPrefix.length);
  if (inside.split(/[\\/]/).includes("..")) {
    throw new ToolError({ operation, issue: `'${file}' must not contain '..'`, code: "OUTSIDE_PROJECT" });
  }
  return join(projectRoot, inside);
}

/** After the links are followed: a link inside the project may lead anywhere. */
function checkInside({ operation, file, projectRoot }: ScriptFile, path: string): void {
  if (realpathSync(path).startsWith(withSeparator(realpathSync(projectRoot)))) return;
  throw new ToolError({ operation, issue: `'${file}' leads out of the project`, code: "OUTSIDE_PROJECT" });
}

function withSeparator(directory: string): string {
  return directory.endsWith(sep) ? directory : `${directory}${sep}`;
}
