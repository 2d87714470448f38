/** The file that `write` and `edit` are about to change: its content, and whether the session has seen it like this. */

import type { BigIntStats } from "node:fs";
import { realpath } from "node:fs/promises";
import { count } from "../../format/numbers.ts";
import { ARTIFACT_SCHEME } from "../../output/artifacts.ts";
import { systemCode, type ToolContext } from "../../protocol/index.ts";
import { type LocatedPath, locate } from "../paths.ts";
import { ToolError } from "../tool-error.ts";
import { OvertakenError, statIfThere, writeAtomically, writeTarget } from "./atomic-write.ts";
import { fileError } from "./file-error.ts";
import type { FileServices } from "./file-services.ts";
import { type Freshness, fileFacts } from "./freshness.ts";
import { heldName, writeHeld } from "./held.ts";
import { directoryError, openRegular } from "./opened-file.ts";
import { sandboxError } from "./visible.ts";

/** More is not held in memory twice for a change of text. */
const MAX_BYTES = 200_000_000;

export interface ExistingFile {
  readonly stats: BigIntStats;
  readonly content: Buffer;
  readonly freshness: Freshness;
}

export interface ChangeTarget extends LocatedPath {
  /** With all links followed. */
  readonly realPath: string;
  readonly existing: ExistingFile | undefined;
}

export interface ChangeRequest {
  readonly operation: "write" | "edit";
  readonly requested: string;
  readonly context: ToolContext;
  readonly services: FileServices;
}

export async function openTarget(request: ChangeRequest): Promise<ChangeTarget> {
  const { operation, requested, context, services } = request;
  if (requested.startsWith(ARTIFACT_SCHEME)) {
    throw new ToolError({ operation, issue: "artifacts can only be read", code: "EROFS" });
  }
  const located = locate({ operation, requested, context, home: services.home });
  if (requested.endsWith("/")) throw directoryError(operation, located.shown);
  try {
    const realPath = await realTarget(located.path);
    checkWrite(request, located, realPath);
    const existing = await readExisting(request, located, realPath);
    return { ...located, realPath, existing };
  } catch (error) {
    throw fileError(error, { operation, shown: located.shown, done: "written" });
  }
}

/** @param path with all links followed. */
function checkWrite({ operation, context }: ChangeRequest, { shown }: LocatedPath, path: string): void {
  if (context.sandbox?.mayWrite(path) === false) throw sandboxError(operation, shown, "written");
}

export function changedOnDiskError(operation: string, shown: string): ToolError {
  const issue = `'${shown}' changed on disk since it was read: read it again`;
  return new ToolError({ operation, issue, code: "CHANGED_ON_DISK" });
}

/**
 * Writes the new content, and remembers it as what the session knows: all of it, unless an edit hit a file never read.
 * @returns what the file had beside its content and could not be kept
 */
export async function replaceContent(
  request: ChangeRequest,
  target: ChangeTarget,
  content: Buffer,
): Promise<readonly string[]> {
  const { operation, services, context } = request;
  if (context.signal.aborted) throw new ToolError({ operation, issue: "cancelled", code: "CANCELLED" });
  try {
    const existing = target.existing?.stats;
    const write = (path: string) => writeAtomically({ path, content, existing });
    const { stats, notKept } =
      context.sandbox === undefined
        ? await write(target.realPath)
        : await writeHeld(target.realPath, (path) => checkWrite(request, target, path), write);
    const isKnown = operation === "write" || target.existing?.freshness === "fresh";
    if (isKnown) services.freshness.remember(await realpath(target.realPath), fileFacts(stats, content));
    return notKept;
  } catch (error) {
    if (error instanceof OvertakenError) throw changedOnDiskError(operation, target.shown);
    throw fileError(error, { operation, shown: target.shown, done: "written" });
  }
}

/** Links on the way count, too: two names of one file must not be two files to the freshness check. */
async function realTarget(path: string): Promise<string> {
  const target = await writeTarget(path);
  try {
    return await realpath(target);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") throw error;
    // A part of the path that is a file is reported when its directory is made.
    return target;
  }
}

async function readExisting(
  request: ChangeRequest,
  located: LocatedPath,
  path: string,
): Promise<ExistingFile | undefined> {
  const { operation, services, context } = request;
  const { shown } = located;
  if ((await statIfThere(path)) === undefined) return undefined;
  const handle = await openRegular(operation, { path, shown });
  try {
    if (context.sandbox !== undefined) checkWrite(request, located, await heldName(handle, path));
    const stats = await handle.stat({ bigint: true });
    if (stats.size > MAX_BYTES) {
      const issue = `'${shown}' is too large to be changed as a whole (${count(Number(stats.size), "byte")}): use python`;
      throw new ToolError({ operation, issue, code: "EFBIG" });
    }
    const content = await handle.readFile();
    return { stats, content, freshness: services.freshness.compare(path, fileFacts(stats, content)) };
  } finally {
    await handle.close();
  }
}
