/** What the README promises that code can check. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { ompPaths } from "../../src/config/paths.ts";

const root = resolve(import.meta.dir, "..", "..");
/** Of oh-my-pi or of omp 0.1, or written by the user. */
const keptBehind = ["earlierSettingsFile", "renamedSettingsFile", "earlierSessions", "modules"];

test("uninstalling removes everything that omp makes", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const command = /^cd ~\/\.omp && rm -rf[^`]*/m.exec(readme)?.[0] ?? "";
  const [outer = "", inner = ""] = command.split("cd agent &&");
  const wordsOf = (text: string) => text.match(/[\w./*-]+/g) ?? [];
  const removed = new Set([...wordsOf(outer), ...wordsOf(inner).map((name) => `agent/${name}`)]);
  const home = "/home/ada/.omp";
  const made = Object.entries(ompPaths({ env: { HOME: "/home/ada" } }))
    .filter(([name, path]) => path.startsWith(`${home}/`) && !keptBehind.includes(name))
    .map(([, path]) => relative(home, path));
  const isRemoved = (path: string) => [...removed].some((one) => path === one || path.startsWith(`${one}/`));
  expect(made.filter((path) => !isRemoved(path))).toEqual([]);
});
