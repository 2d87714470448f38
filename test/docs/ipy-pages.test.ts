/** Holds docs/ipy-*.md to the code: every section is there, and what they name exists where they say. */

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../support/omp.ts";

const names = readdirSync(join(checkout, "docs")).filter((name) => /^ipy-.*\.md$/.test(name));
const pages = new Map(names.map((name) => [name, readFileSync(join(checkout, "docs", name), "utf8")]));

function source(path: string): string {
  return readFileSync(join(checkout, path), "utf8");
}

test.each([
  ["ipy-kernel.md", "Motivation and non-goals"],
  ["ipy-kernel.md", "Lifecycle"],
  ["ipy-kernel.md", "Interface and data structures"],
  ["ipy-protocol.md", "One execution"],
  ["ipy-protocol.md", "Timeout and cancel"],
  ["ipy-tool.md", "Input"],
  ["ipy-tool.md", "Output"],
  ["ipy-tool.md", "The executor"],
  ["ipy-tool.md", "Timeout and cancel"],
  ["ipy-tool.md", "Streaming and truncation"],
  ["ipy-tool.md", "Future extensions"],
])("%s has the section '%s'", (page, title) => {
  const [, text = ""] = pages.get(page)?.split(`\n## ${title}\n`) ?? [];
  expect((text.split("\n## ")[0] ?? "").trim().length).toBeGreaterThan(200);
});

describe.each([...pages])("%s", (_name, page) => {
  test("names files and folders that are there", () => {
    const named = [...page.matchAll(/`((?:src|prompts|test|docs|scripts)\/[^`\s<*]*)`/g)].map(
      (match) => match[1] ?? "",
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(join(checkout, path)))).toEqual([]);
  });

  test("links to pages that are there", () => {
    const links = [...page.matchAll(/\]\(([^)#:]+)\)/g)].map((match) => match[1] ?? "");
    expect(links.filter((path) => !existsSync(join(checkout, "docs", path)))).toEqual([]);
  });
});

test("the executor's types are in the files of their rows", () => {
  const [, section = ""] = pages.get("ipy-tool.md")?.split("\n## The executor\n") ?? [];
  const rows = [...section.matchAll(/^\| (`[^|]+`) \| `(src\/[^`]+)` \|/gm)];
  expect(rows.length).toBeGreaterThanOrEqual(8);
  const missing = rows.flatMap(([, types = "", file = ""]) => {
    const text = source(file);
    return [...types.matchAll(/`(\w+)`/g)]
      .map(([, type = ""]) => type)
      .filter((type) => !new RegExp(`export (?:interface|class|type) ${type}\\b`).test(text))
      .map((type) => `${type} in ${file}`);
  });
  expect(missing).toEqual([]);
});

test("states, errors and members of a kernel are those of the code", () => {
  const page = pages.get("ipy-kernel.md") ?? "";
  const row = (name: string) => new RegExp(`^\\| \`${name}\` \\| (.*) \\|$`, "m").exec(page)?.[1] ?? "";
  const words = (text: string) => [...text.matchAll(/`([\w-]+)`/g)].map(([, word = ""]) => word);
  const kernel = source("src/kernel/kernel.ts");
  const [, members = ""] = /export interface Kernel \{([\s\S]*?)\n\}/.exec(kernel) ?? [];
  const declared = [...members.matchAll(/^ {2}(?:readonly )?(\w+)[:(]/gm)].map(([, name = ""]) => name);
  expect(declared.filter((name) => !words(row("Kernel")).includes(name))).toEqual([]);
  const [, kinds = ""] =
    /export type KernelErrorKind =([\s\S]*?);/.exec(source("src/kernel/errors.ts")) ?? [];
  const declaredKinds = [...kinds.matchAll(/"([\w-]+)"/g)].map(([, kind = ""]) => kind);
  expect(declaredKinds.length).toBeGreaterThan(0);
  expect(
    words(row("KernelError"))
      .filter((word) => word !== "kind")
      .sort(),
  ).toEqual(declaredKinds.sort());
  const [, states = ""] = /export type KernelState = ([^;]*);/.exec(kernel) ?? [];
  const [, lifecycle = ""] = page.split("\n## Lifecycle\n");
  const declaredStates = [...states.matchAll(/"(\w+)"/g)].map(([, state = ""]) => state);
  expect(declaredStates.filter((state) => !lifecycle.includes(state))).toEqual([]);
});

test("statuses of cells and fields of details are those of the code", () => {
  const page = pages.get("ipy-tool.md") ?? "";
  const [, statuses = ""] =
    /export type CellStatus = ([^;]*);/.exec(source("src/tools/python/cell-record.ts")) ?? [];
  for (const [, status = ""] of statuses.matchAll(/"([\w ]+)"/g)) expect(page).toContain(`\`${status}\``);
  const [, details = ""] =
    /const details: ToolDetails = \{([\s\S]*?)\n {2}\};/.exec(source("src/tools/python/result.ts")) ?? [];
  const fields = [...details.matchAll(/\b(\w+): (?:true|outcome\.\w+)/g)].map(([, name = ""]) => name);
  expect(fields.length).toBeGreaterThan(3);
  expect(fields.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
