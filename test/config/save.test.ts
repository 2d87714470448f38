import { expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../src/config/errors.ts";
import { settingKey } from "../../src/config/keys.ts";
import { saveSetting } from "../../src/config/save.ts";
import { temporaryDirectory } from "../support/home.ts";

const toolMode = settingKey("python.toolMode");

function permissions(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

test("a new file and its directories are private", () => {
  const home = join(temporaryDirectory(), ".omp");
  const file = join(home, "agent", "omp.jsonc");
  saveSetting({ file, setting: toolMode, value: "bash-only" });
  expect(readFileSync(file, "utf8")).toBe('{\n  "python": {\n    "toolMode": "bash-only"\n  }\n}\n');
  expect([home, join(home, "agent"), file].map(permissions)).toEqual(["700", "700", "600"]);
  expect(readdirSync(join(home, "agent"))).toEqual(["omp.jsonc"]);
});

test("an existing file keeps its permissions, and a link stays a link", () => {
  const directory = temporaryDirectory();
  const real = join(directory, "dotfiles.json");
  const file = join(directory, "omp.jsonc");
  writeFileSync(real, "{}\n");
  chmodSync(real, 0o640);
  symlinkSync(real, file);
  saveSetting({ file, setting: toolMode, value: "bash-only" });
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(permissions(real)).toBe("640");
  expect(JSON.parse(readFileSync(real, "utf8"))).toEqual({ python: { toolMode: "bash-only" } });
  expect(readdirSync(directory).sort()).toEqual(["dotfiles.json", "omp.jsonc"]);
});

test("an invalid value of the same key can be corrected", () => {
  const file = join(temporaryDirectory(), "omp.jsonc");
  writeFileSync(file, '{ "python": { "toolMode": 3 /* ? */ } }');
  saveSetting({ file, setting: toolMode, value: "both" });
  expect(readFileSync(file, "utf8")).toBe('{ "python": { "toolMode": "both" /* ? */ } }');
});

test.each([
  ["{", "SYNTAX_ERROR"],
  ['{ "python": { "toolmode": "both" } }', "UNKNOWN_KEY"],
  ['{ "python": { "toolMode": "both", "toolMode": "both" } }', "DUPLICATE_KEY"],
  ['{ "python": 3 }', "INVALID_VALUE"],
  ["[]", "INVALID_VALUE"],
])("a file with another problem is left alone: %s", (text, code) => {
  const file = join(temporaryDirectory(), "omp.jsonc");
  writeFileSync(file, text);
  expect(() => saveSetting({ file, setting: toolMode, value: "bash-only" })).toThrow(`(${code})`);
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("an invalid value is never written", () => {
  const file = join(temporaryDirectory(), "omp.jsonc");
  expect(() => saveSetting({ file, setting: toolMode, value: 1 })).toThrow(
    'config: \'python.toolMode\' must be "both", "ipy-only" or "bash-only", not 1 (INVALID_VALUE)',
  );
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
});

test("a file that cannot be written is reported with the system's code", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, ".omp"), "a file");
  const file = join(directory, ".omp", "omp.jsonc");
  const save = () => saveSetting({ file, setting: toolMode, value: "both" });
  expect(save).toThrow(ConfigError);
  expect(save).toThrow(`config: cannot write ${file} (`);
  expect(readdirSync(directory)).toEqual([".omp"]);
});
