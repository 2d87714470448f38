/** Which ripgrep is used: the one that comes with omp, else the user's. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { embeddedRipgrep } from "./embedded-ripgrep.ts";

export interface RipgrepPlaces {
  /** The user's PATH. */
  readonly searchPath: string | undefined;
  /** omp's own directory for what can be deleted at any time: the embedded program is copied there to be run. */
  readonly cache: string;
}

export function findRipgrep({ searchPath, cache }: RipgrepPlaces): string | undefined {
  return (
    packagedRipgrep() ?? extractedRipgrep(cache) ?? Bun.which("rg", { PATH: searchPath ?? "" }) ?? undefined
  );
}

/**
 * It is an npm package for each platform: in omp's own node_modules, next to the sources or the bundle, or, where omp is a package
 * itself, in one that omp is in. No other directories are searched: they could have an unrelated one.
 */
function packagedRipgrep(): string | undefined {
  const carrier = join("@vscode", `ripgrep-${process.platform}-${process.arch}`, "bin", "rg");
  return moduleDirectories(import.meta.dir)
    .map((directory) => join(directory, carrier))
    .find(existsSync);
}

function moduleDirectories(here: string): string[] {
  const directories = [join(dirname(dirname(here)), "node_modules")];
  const inner = `${sep}node_modules${sep}`;
  for (let end = here.lastIndexOf(inner); end >= 0; end = here.lastIndexOf(inner, end - 1)) {
    directories.push(here.slice(0, end + inner.length - 1));
  }
  return directories;
}

let temporary: string | undefined;

function extractedRipgrep(cache: string): string | undefined {
  if (embeddedRipgrep === undefined) return undefined;
  try {
    return extract(embeddedRipgrep, cache);
  } catch {
    // A home that is read-only or full: as long as this process lives, a directory of its own will do.
  }
  try {
    temporary ??= temporaryForThisProcess();
    return extract(embeddedRipgrep, temporary);
  } catch {
    return undefined;
  }
}

/** The embedded file's name has a hash of its content, so one that is there is right. It is renamed into place when it is whole. */
function extract(embedded: string, directory: string): string {
  // Bun ends the name with the dot of an extension that there is not.
  const target = join(directory, basename(embedded).replace(/\.$/, ""));
  if (statSync(target, { throwIfNoEntry: false })?.size === statSync(embedded).size) return target;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const aside = `${target}.partial-${process.pid}`;
  try {
    writeFileSync(aside, readFileSync(embedded), { mode: 0o700 });
    chmodSync(aside, 0o700);
    renameSync(aside, target);
  } finally {
    rmSync(aside, { force: true });
  }
  for (const name of readdirSync(directory)) {
    if (/^rg-\w+$/.test(name) && name !== basename(target)) rmSync(join(directory, name), { force: true });
  }
  return target;
}

function temporaryForThisProcess(): string {
  const directory = mkdtempSync(join(tmpdir(), "omp-rg-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
