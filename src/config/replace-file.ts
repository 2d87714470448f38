/** Writes a file of omp's own whole or not at all. */

import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

export function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const existing = statSync(file, { throwIfNoEntry: false });
  // A symlink, as used by people who keep their settings in a repository, must survive.
  const target = existing === undefined ? file : realpathSync(file);
  const aside = `${target}.${randomUUID()}.tmp`;
  // A new file is private; an existing one keeps its permissions.
  const mode = existing === undefined ? 0o600 : existing.mode & 0o777;
  try {
    const descriptor = openSync(aside, "wx", mode);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(aside, target);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}
