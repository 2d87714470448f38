/** Paths as text, with marks in them: made absolute and free of dots, without asking the disk. */

import { everythingBelow, unknown } from "./marks.ts";

/** Where a relative path may lead from one of these directories; unknown beginnings stay unknown. */
export function absolutePaths(path: string, directories: readonly string[]): string[] {
  if (path.startsWith("/")) return [normalised(path)];
  if (path.startsWith(unknown)) return [path];
  return directories.map((directory) =>
    directory.startsWith("/") ? normalised(`${directory}/${path}`) : unknown,
  );
}

function normalised(path: string): string {
  return `/${segmentsOf(path).join("/")}`;
}

/** The names on the way to an absolute path. */
export function segmentsOf(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.replaceAll(everythingBelow, "").split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments;
}
