/** What omp's own tools show: nothing that programs in the sandbox cannot see. Cells call these tools, too. */

import type { FileHandle } from "node:fs/promises";
import type { ToolContext } from "../../protocol/index.ts";
import type { LocatedPath } from "../paths.ts";
import { ToolError } from "../tool-error.ts";
import { heldName } from "./held.ts";

export interface Looking {
  readonly operation: string;
  readonly context: Pick<ToolContext, "sandbox">;
  readonly done: "read" | "listed" | "searched";
}

/** Throws `ToolError`. @param path instead of the located one: with links followed. */
export function checkVisible(
  { operation, context, done }: Looking,
  located: LocatedPath,
  path = located.path,
): void {
  if (context.sandbox?.maySee(path) === false) throw sandboxError(operation, located.shown, done);
}

/** The same for what is open: its path may lead elsewhere by now. */
export async function checkOpen(looking: Looking, located: LocatedPath, handle: FileHandle): Promise<void> {
  if (looking.context.sandbox !== undefined)
    checkVisible(looking, located, await heldName(handle, located.path));
}

export function sandboxError(operation: string, shown: string, done: string): ToolError {
  const issue = `'${shown}' cannot be ${done}: the sandbox does not allow it`;
  return new ToolError({ operation, issue, code: "SANDBOX" });
}
