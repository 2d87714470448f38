/** Holds the pages to each other: what they link to is there, and the index of docs names every page. */

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { checkout } from "../support/omp.ts";

const inDocs = readdirSync(join(checkout, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => join("docs", name));
const pages = new Map(
  ["README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md", ...inDocs].map((page) => [
    page,
    readFileSync(join(checkout, page), "utf8").replace(/^```.*?^```/gms, ""),
  ]),
);

/** As GitHub names it. */
function anchorOf(heading: string): string {
  const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return words.replace(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-");
}

function anchorsIn(page: string): string[] {
  return [...(pages.get(page) ?? "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

function isThere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(checkout, target))) return false;
  return anchor === undefined || anchorsIn(target).includes(anchor);
}

test("every link between pages leads to a page, and to a heading of it", () => {
  const broken = [...pages].flatMap(([page, text]) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^\w+:/.test(link) && !isThere(page, link))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("docs/README.md names every page of docs", () => {
  const index = pages.get("docs/README.md") ?? "";
  const missing = inDocs.filter((page) => page !== "docs/README.md" && !index.includes(`(${page.slice(5)})`));
  expect(missing).toEqual([]);
});
