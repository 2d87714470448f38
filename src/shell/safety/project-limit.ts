/** Whether a script stays in the project's directory: where it goes, not what it touches. */

import { readlinkSync, realpathSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { attempt } from "../../protocol/error.ts";
import type { Reading } from "./follow.ts";
import { plainText, unknown } from "./marks.ts";

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

/** As many as the system follows itself. */
const MAX_LINKS = 40;

/** Links are followed, also to what does not exist yet; the rest of the path is kept as it is written. */
export function realPath(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path) throw error;
    const link = links < MAX_LINKS ? attempt(() => readlinkSync(path)) : undefined;
    return link === undefined
      ? `${realPath(parent, links)}${path.slice(parent.length)}`
      : realPath(resolve(parent, link), links + 1);
  }
}
