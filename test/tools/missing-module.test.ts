import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { missingModuleHint } from "../../src/tools/missing-module.ts";
import { temporaryDirectory } from "../support/home.ts";

function hint(name: string, options: { path?: string; venv?: string; PATH?: string; cwd?: string } = {}) {
  const cwd = options.cwd ?? temporaryDirectory();
  return missingModuleHint({
    stderr: `Traceback (most recent call last):\n  …\nModuleNotFoundError: No module named '${name}'\n`,
    interpreter: { path: options.path ?? "/usr/bin/python3", source: "PATH", venv: options.venv },
    env: { PATH: options.PATH ?? "" },
    cwd,
    fromCode: true,
  });
}

const said = (module: string, command: string) =>
  `Hint: module '${module}' is not installed for this interpreter; install it with: ${command}`;

test("names the command for the interpreter that ran", () => {
  expect(hint("nosuch.sub")).toBe(said("nosuch", "/usr/bin/python3 -m pip install nosuch"));
  expect(hint("yaml")).toBe(said("yaml", "/usr/bin/python3 -m pip install PyYAML"));
  expect(hint("x", { path: "/my own/python" })).toBe(said("x", "'/my own/python' -m pip install x"));
});

test("an environment without pip is served by uv, where there is one", () => {
  const root = temporaryDirectory();
  const venv = join(root, "venv");
  mkdirSync(join(venv, "bin"), { recursive: true });
  const path = join(venv, "bin/python");
  expect(hint("x", { path, venv })).toBe(said("x", `${path} -m pip install x`));
  writeFileSync(join(root, "uv"), "#!/bin/sh\n");
  chmodSync(join(root, "uv"), 0o700);
  expect(hint("x", { path, venv, PATH: root })).toBe(said("x", `uv pip install --python ${path} x`));
});

test("a module of the working directory needs a path, not a package", () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "mine.py"), "");
  expect(hint("mine", { cwd })).toBe(
    `Hint: 'mine' is in the working directory; to import it, start the code with: import sys; sys.path.insert(0, "")`,
  );
});

test("any other failure gets no hint", () => {
  const other = { env: {}, cwd: "/", fromCode: true, stderr: "ImportError: No module named 'x'\n" };
  const interpreter = { path: "/usr/bin/python3", source: "PATH", venv: undefined } as const;
  expect(missingModuleHint({ ...other, interpreter })).toBeUndefined();
});
