/** Virtual environments of the Python under test, as `python -m venv --without-pip` makes them, and what is in them. */

import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { readEnvironment } from "../../src/python/managed-environment.ts";
import { type TestPython, testPython } from "./python.ts";

export interface BareEnvironment {
  readonly directory: string;
  readonly python: string;
  readonly packages: string;
}

/** Without a single package of its own. */
export function bareEnvironment(
  directory: string,
  { from = testPython, seesSystem = false }: { from?: TestPython; seesSystem?: boolean } = {},
): BareEnvironment {
  const base = realpathSync(from.path);
  const minor = (readEnvironment(from.venv)?.python ?? "").split(".", 2).join(".");
  const packages = join(directory, "lib", `python${minor}`, "site-packages");
  mkdirSync(packages, { recursive: true });
  mkdirSync(join(directory, "bin"));
  writeFileSync(
    join(directory, "pyvenv.cfg"),
    `home = ${dirname(base)}\ninclude-system-site-packages = ${seesSystem}\n`,
  );
  for (const name of ["python", "python3"]) symlinkSync(base, join(directory, "bin", name));
  return { directory, python: join(directory, "bin", "python"), packages };
}

/**
 * A Python of its own prefix that is no virtual environment, as conda's and the system's are: the same program and standard library, and
 * no packages. @param without modules of the standard library that it lacks.
 */
export function wholePython(
  directory: string,
  { without = [] }: { without?: readonly string[] } = {},
): BareEnvironment {
  const base = realpathSync(testPython.path);
  const minor = (readEnvironment(testPython.venv)?.python ?? "").split(".", 2).join(".");
  const [libraries, own] = [join(dirname(dirname(base)), "lib"), join(directory, "lib")];
  const standard = join(own, `python${minor}`);
  mkdirSync(join(standard, "site-packages"), { recursive: true });
  mkdirSync(join(directory, "bin"));
  copyFileSync(base, join(directory, "bin", "python3"));
  symlinkSync("python3", join(directory, "bin", "python"));
  const left = new Set([
    ...without,
    "site-packages",
    "dist-packages",
    "EXTERNALLY-MANAGED",
    "sitecustomize.py",
  ]);
  for (const [from, to] of [
    [join(libraries, `python${minor}`), standard],
    [libraries, own],
  ] as const) {
    const names = readdirSync(from).filter((name) => from !== libraries || name.startsWith("libpython"));
    for (const name of names.filter((each) => !left.has(each))) symlinkSync(join(from, name), join(to, name));
  }
  return { directory, python: join(directory, "bin", "python"), packages: join(standard, "site-packages") };
}

/** A package of one module, with its metadata, and no byte code. */
export function addPackage(packages: string, name: string, version: string, source: string): void {
  mkdirSync(join(packages, name));
  writeFileSync(join(packages, name, "__init__.py"), source);
  const metadata = join(packages, `${name}-${version}.dist-info`);
  mkdirSync(metadata);
  writeFileSync(join(metadata, "METADATA"), `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`);
  writeFileSync(join(metadata, "RECORD"), `${name}/__init__.py,,\n${name}-${version}.dist-info/METADATA,,\n`);
}

/** Everything below a directory, to the byte; links by their names. */
export function contentsOf(directory: string): string {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isFile: entry.isFile() }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const hash = createHash("sha256");
  for (const { path, isFile } of entries) {
    hash.update(`${path}\0`);
    if (isFile) hash.update(readFileSync(path));
  }
  return `${entries.length} ${hash.digest("hex")}`;
}
