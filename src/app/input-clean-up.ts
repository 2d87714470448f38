/** Large inputs of earlier sessions go when they are old, and the oldest when there are too many: within the limits of artifacts. */

import { type Dirent, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../process/identity.ts";
import { attempt } from "../protocol/index.ts";
import { asRecord, parseJson } from "../protocol/record.ts";

/** In each session's directory: which process works with it, and its inputs. */
export const MANIFEST = "inputs.json";

export interface InputLimits {
  readonly maxTotalBytes: number;
  readonly maxAgeMs: number;
}

/** @param spared the session that calls. Those of other running sessions are spared as well. */
export function cleanUpInputs(root: string, limits: InputLimits & { readonly spared: string }): void {
  const now = Date.now();
  const all = (attempt(() => readdirSync(root, { withFileTypes: true })) ?? [])
    .filter((entry) => entry.isDirectory() && entry.name !== limits.spared)
    .map((entry) => measured(root, entry))
    .sort((a, b) => a.changedMs - b.changedMs);
  let total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path, bytes, changedMs, isTransient } of all) {
    const isOver = now - changedMs > limits.maxAgeMs || total > limits.maxTotalBytes || isTransient;
    if (!isOver || isInUse(path)) continue;
    attempt(() => rmSync(path, { recursive: true, force: true }));
    total -= bytes;
  }
}

function measured(root: string, { name }: Dirent) {
  const path = join(root, name);
  const files = (attempt(() => readdirSync(path)) ?? []).flatMap(
    (file) => attempt(() => statSync(join(path, file))) ?? [],
  );
  return {
    path,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    changedMs: Math.max(0, ...files.map(({ mtimeMs }) => mtimeMs)),
    // Of an omp that kept no session, and was killed.
    isTransient: name.startsWith("run-"),
  };
}

/** Also one that is being made just now. */
function isInUse(directory: string): boolean {
  const text = attempt(() => readFileSync(join(directory, MANIFEST), "utf8"));
  if (text === undefined) return Date.now() - (attempt(() => statSync(directory).mtimeMs) ?? 0) < 60_000;
  const { pid } = asRecord(parseJson(text));
  return typeof pid === "number" && isAlive(pid);
}
