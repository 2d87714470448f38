/** Holds docs/architecture.md to the tree: what it names is there, and every folder has its line. */

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../support/omp.ts";

const page = readFileSync(join(checkout, "docs/architecture.md"), "utf8");

function section(title: string): string {
  const [, text = ""] = page.split(`\n## ${title}\n`);
  return text.split("\n## ")[0] ?? "";
}

test("every file and folder that the page names is there", () => {
  const named = [...page.matchAll(/`((?:src|prompts|test|docs|scripts|bench|bin)\/[^`\s<]*)`/g)].map(
    (match) => match[1] ?? "",
  );
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((path) => !existsSync(join(checkout, path)))).toEqual([]);
  const links = [...page.matchAll(/\]\((adr\/[^)]+)\)/g)].map((match) => match[1] ?? "");
  expect(links.filter((path) => !existsSync(join(checkout, "docs", path)))).toEqual([]);
  expect(links.length).toBe(readdirSync(join(checkout, "docs/adr")).length);
});

test("the tree has a line for every folder of src, and no other", () => {
  const rows = section("The tree").matchAll(/^( {2,})([a-z]+)\/ /gm);
  const path: string[] = [];
  const named = [...rows].map(([, indent = "", name = ""]) => {
    const depth = indent.length / 2 - 1;
    path.splice(depth, path.length, name);
    return path.join("/");
  });
  const folders = readdirSync(join(checkout, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(checkout, "src/").length));
  expect(named.sort()).toEqual(folders.sort());
});

test("the walks name their files in the order of the steps, and there are enough places to start from", () => {
  for (const title of ["The walk of a prompt", "The walk of a byte of output"])
    expect(
      section(title)
        .match(/^\d+\. .*/gm)
        ?.every((step) => step.includes("`")),
    ).toBe(true);
  const rows = section("Where do I change …?").match(/^\| [^-|]+ \| .*`/gm) ?? [];
  expect(rows.length).toBeGreaterThanOrEqual(15);
  const words = section("Glossary").match(/^\| [a-z][^|]* \| /gm) ?? [];
  expect(words.length).toBeGreaterThanOrEqual(25);
});
