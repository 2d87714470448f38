/** The `cwd` of every tool that runs something: resolved, and refused in one line before anything starts. */

import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { systemCode } from "../protocol/index.ts";
import { ToolError } from "./tool-error.ts";

/** @param requested as the model wrote it; relative to `base`, which is also the answer when it is not given. */
export function workingDirectory(operation: string, requested: string | undefined, base: string): string {
  const directory = resolve(base, requested ?? "");
  const refuse = (problem: string, code: string, cause?: unknown) =>
    new ToolError({ operation, issue: `Working directory ${problem} '${directory}'`, code }, { cause });
  try {
    if (!statSync(directory).isDirectory()) throw refuse("is not a directory", "ENOTDIR");
    accessSync(directory, constants.X_OK);
    return directory;
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const code = systemCode(error) ?? "UNKNOWN";
    if (code === "ENOENT") throw refuse("does not exist", code, error);
    if (code === "ENOTDIR") throw refuse("is not a directory", code, error);
    if (code === "EACCES") throw refuse("may not be entered", code, error);
    throw refuse("cannot be used", code, error);
  }
}
