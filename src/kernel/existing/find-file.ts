/**
 * Which file is meant: a path, or, as Jupyter's own tools have it, a name or a part of it among the connection files in Jupyter's
 * runtime directory: `kernel-1234.json`, `1234`, the beginning of a notebook's kernel id.
 */

import { statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { namesIn } from "../names-in.ts";
import { connectionError } from "./connection.ts";

export interface FilePlaces {
  readonly cwd: string;
  readonly home: string;
  /** Where names are looked up. */
  readonly runtimeDirectory: string;
}

/** The path in full. Throws an OmpError when a name fits no file, or more than one. */
export function findConnectionFile(named: string, { cwd, home, runtimeDirectory }: FilePlaces): string {
  if (named.trim() === "") throw connectionError("names no connection file", "USAGE");
  const path = resolve(cwd, named.replace(/^~(?=\/)/, home));
  const isName = !named.includes("/") && !named.includes(sep);
  if (!isName || isFile(path)) return path;
  const files = connectionFiles(runtimeDirectory);
  const exact = files.find((file) => [named, `${named}.json`, `kernel-${named}.json`].includes(file));
  const [found, ...others] = exact === undefined ? files.filter((file) => file.includes(named)) : [exact];
  if (found === undefined)
    throw connectionError(
      `there is no file '${named}' in ${cwd}, and no kernel of that name in ${runtimeDirectory}`,
      "ENOENT",
    );
  if (others.length > 0)
    throw connectionError(
      `'${named}' fits ${others.length + 1} files in ${runtimeDirectory}: ${few([found, ...others])}`,
      "AMBIGUOUS",
    );
  return join(runtimeDirectory, found);
}

const MAX_NAMED = 4;

function few(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** A server's own files lie there, too. */
function connectionFiles(directory: string): string[] {
  return namesIn(directory)
    .filter((name) => name.endsWith(".json") && !/^(?:jpserver|nbserver|jupyter)/.test(name))
    .sort();
}
