/**
 * Writes what is made from the settings schema: docs/settings.schema.json, and the tables in docs/settings.md.
 * `bun scripts/settings-schema.ts`; a test fails when it has to be run.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

import { type SettingGroup, type SettingKey, settingGroups, settingsJsonSchema } from "../src/config/keys.ts";

export const schemaFile = resolve(import.meta.dir, "../docs/settings.schema.json");
export const pageFile = resolve(import.meta.dir, "../docs/settings.md");

const begin = "<!-- made by scripts/settings-schema.ts: begin -->\n";
const end = "<!-- made by scripts/settings-schema.ts: end -->\n";

export function schemaText(): string {
  return `${JSON.stringify(settingsJsonSchema(), undefined, 2)}\n`;
}

/** The page with its tables generated again. */
export function pageText(page: string): string {
  const start = page.indexOf(begin);
  const stop = page.indexOf(end);
  if (start === -1 || stop < start)
    throw new Error("docs/settings.md has lost the markers around its tables; restore them from git");
  const tables = settingGroups().map(groupText).join("");
  return `${page.slice(0, start)}${begin}${tables}\n${page.slice(stop)}`;
}

function groupText({ name, description, keys }: SettingGroup): string {
  const rows = [["key", "value", "default", "what it does"], ...keys.map(cells)];
  return `\n### ${name}\n\n${description}\n\n${table(rows)}`;
}

function cells({ key, expected, expectedItem, defaultValue, description }: SettingKey): string[] {
  const value = expectedItem === undefined ? expected : `${expected}, each ${expectedItem}`;
  const standard = defaultValue === undefined ? "none" : `\`${JSON.stringify(defaultValue)}\``;
  return [`\`${key}\``, value, standard, description].map((cell) => cell.replaceAll("|", "\\|"));
}

/** Padded, as the formatter wants Markdown tables; the first row is the head. */
function table([head = [], ...body]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => "-".repeat(width));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  return [head, rule, ...body].map(line).join("");
}

if (import.meta.main) {
  writeFileSync(schemaFile, schemaText());
  writeFileSync(pageFile, pageText(readFileSync(pageFile, "utf8")));
}
