/** Whether a script stays in the project's directory: where it goes, not what it touches. */

import { realpathSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import type { Reading } from "./reading.ts";
import { plainText, unknown } from "./word-value.ts";

/** The first directory outside the root that the script goes to, as far as its text tells. */
export function directoryOutside(reading: Reading, root: string): string | undefined {
  const outside = reading.destinations.find(
    (path) => !path.startsWith(unknown) && !isInside(knownPart(path), root),
  );
  return outside === undefined ? undefined : plainText(outside).replaceAll(unknown, "…");
}

/** Up to the first name with a wildcard or an unknown in it. */
function knownPart(path: string): string {
  const mark = path.search(/[\uE000-\uE00F]/);
  return mark === -1 ? path : dirname(`${path.slice(0, mark)}x`);
}

/** Links are followed: one that leads out is outside. */
export function isInside(path: string, root: string): boolean {
  const way = relative(realPath(root), realPath(path));
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
}

/** Of what is there; the rest of the path as it stands. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path) throw error;
    return `${realPath(parent)}${path.slice(parent.length)}`;
  }
}
