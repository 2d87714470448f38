/** Commands that draw nothing do not load the terminal UI. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../support/omp.ts";

const sources = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(checkout)].map((file) => ({
  file,
  text: readFileSync(join(checkout, file), "utf8"),
}));

test("only `interactive` imports the UI", () => {
  const importers = sources.filter(
    ({ file, text }) => !file.startsWith("src/ui/") && /from "[./]*\/ui\//.test(text),
  );
  expect(
    importers.filter(({ file }) => !file.startsWith("src/interactive/")).map(({ file }) => file),
  ).toEqual([]);
});

test("`interactive` itself is loaded when it is needed", () => {
  const statically = sources.filter(({ text }) => /from "[./]*\/run-interactive\.ts"/.test(text));
  expect(statically.map(({ file }) => file)).toEqual([]);
});

test("neither Ink nor React is imported outside of ui/screen", () => {
  const users = sources.filter(({ text }) => /from "(?:ink|react)"/.test(text)).map(({ file }) => file);
  expect(users.filter((file) => !/^src\/ui\/screen\//.test(file))).toEqual([]);
});
