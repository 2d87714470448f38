import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { allowedGroups, allowedPrefixes, SECRET_NAME } from "../../src/python/environment-names.ts";
import { checkout } from "../support/omp.ts";

test("the table in docs/doctor.md is the list", () => {
  const page = readFileSync(join(checkout, "docs/doctor.md"), "utf8");
  const start = page.indexOf("| for | variables |");
  const table = page.slice(start, page.indexOf("\n\n", start)).split("\n").slice(2);
  const row = (group: string, names: readonly string[]) =>
    `| ${group} | ${names.map((name) => `\`${name}\``).join(" ")} |`;
  expect(table).toEqual([
    ...Object.entries(allowedGroups).map(([group, names]) => row(group, names)),
    row("starting with", allowedPrefixes),
  ]);
});

test("no name on the list is one that would be withheld", () => {
  expect(
    Object.values(allowedGroups)
      .flat()
      .filter((name) => SECRET_NAME.test(name)),
  ).toEqual([]);
});
