import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { pageFile, pageText, schemaFile, schemaText } from "../../scripts/settings-schema.ts";
import { settingKeys } from "../../src/config/keys.ts";

test("docs/settings.schema.json is current (bun scripts/settings-schema.ts)", () => {
  expect(readFileSync(schemaFile, "utf8")).toBe(schemaText());
});

test("the tables in docs/settings.md are current (bun scripts/settings-schema.ts)", () => {
  const page = readFileSync(pageFile, "utf8");
  expect(page).toBe(pageText(page));
  expect(settingKeys().filter(({ key }) => !page.includes(`\n| \`${key}\` `))).toEqual([]);
});

test("every setting has a description and valid values", () => {
  for (const { key, description, expected } of settingKeys()) {
    expect({ key, description, expected }).toEqual({
      key,
      description: expect.stringMatching(/^[A-Z].*\.$/),
      expected: expect.not.stringMatching(/undefined|an object|^$/),
    });
  }
});
