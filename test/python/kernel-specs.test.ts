import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Interpreter } from "../../src/python/interpreter.ts";
import { findKernelSpecs, kernelSpecLaunch } from "../../src/python/kernel-specs.ts";
import { temporaryDirectory } from "../support/home.ts";

function program(path: string): string {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
  return path;
}

function writeSpec(base: string, name: string, spec: unknown): string {
  const directory = join(base, "kernels", name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "kernel.json"), typeof spec === "string" ? spec : JSON.stringify(spec));
  return directory;
}

function newMachine() {
  const root = temporaryDirectory();
  const venv = join(root, "venv");
  const interpreter: Interpreter = { path: program(join(venv, "bin/python")), source: ".venv", venv };
  const home = join(root, "home");
  const options = {
    env: { JUPYTER_PATH: join(root, "named"), PATH: join(root, "bin") },
    cwd: root,
    home,
    interpreter,
    systemDirectories: [join(root, "system")],
    platform: "linux",
  } as const;
  return { root, home, venv, interpreter, options };
}

/** `${NAME}`, which in a string of ours would look like a mistake. */
const braced = (name: string) => `$\{${name}}`;

const ipykernel = {
  argv: ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
  language: "python",
};

test("are found in Jupyter's directories, and the first of a name wins", () => {
  const { root, home, venv, options } = newMachine();
  const named = writeSpec(join(root, "named"), "both", ipykernel);
  writeSpec(join(home, ".local/share/jupyter"), "both", { ...ipykernel, language: "r" });
  const own = writeSpec(join(venv, "share/jupyter"), "own", ipykernel);
  const system = writeSpec(join(root, "system"), "ir", { argv: ["R"], language: "R" });
  writeSpec(join(root, "system"), "broken", "{");
  expect(
    findKernelSpecs(options).map(({ name, directory, language }) => [name, directory, language]),
  ).toEqual([
    ["both", named, "python"],
    ["ir", system, "r"],
    ["own", own, "python"],
  ]);
});

test("plain ipykernel starts in omp's own way, in the interpreter that the kernelspec names", () => {
  const { root, interpreter, options } = newMachine();
  writeSpec(join(root, "named"), "here", {
    ...ipykernel,
    argv: [...ipykernel.argv],
    env: { A: `$HOME/x ${braced("PATH")}` },
  });
  expect(kernelSpecLaunch("Here", options)).toEqual({
    interpreter,
    argv: undefined,
    env: { A: `$HOME/x ${options.env.PATH}` },
  });
  const other = program(join(root, "other/bin/python3"));
  const argv = [other, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"];
  writeSpec(join(root, "named"), "other", { argv, language: "python" });
  expect(kernelSpecLaunch("other", options)).toEqual({
    interpreter: { path: other, source: "kernelspec", venv: undefined },
    argv: undefined,
    env: {},
  });
});

test("any other line is started as it stands", () => {
  const { root, options } = newMachine();
  const wrapper = program(join(root, "bin/wrap"));
  const argv = ["wrap", "{resource_dir}/start.py", "{connection_file}"];
  const directory = writeSpec(join(root, "named"), "wrapped", { argv, language: "python" });
  expect(kernelSpecLaunch("wrapped", options)).toEqual({
    interpreter: { path: wrapper, source: "kernelspec", venv: undefined },
    argv: [wrapper, `${directory}/start.py`, "{connection_file}"],
    env: {},
  });
});

test("python3 needs no file", () => {
  const { interpreter, options } = newMachine();
  expect(kernelSpecLaunch("python3", options)).toEqual({ interpreter, argv: undefined, env: {} });
});

test("an unknown name is told with those that there are", () => {
  const { root, options } = newMachine();
  writeSpec(join(root, "named"), "spark", ipykernel);
  expect(kernelSpecLaunch("sprak", options)).toEqual({
    issue: "no kernelspec 'sprak' on this machine; available: python3, spark",
    code: "KERNELSPEC_NOT_FOUND",
  });
});

test("another language, and a program that is not there, are told in a line", () => {
  const { root, options } = newMachine();
  writeSpec(join(root, "named"), "ir", { argv: ["R"], language: "R" });
  writeSpec(join(root, "named"), "gone", { argv: ["/gone/python"], language: "python" });
  writeSpec(join(root, "named"), "lost", { argv: ["lost"], language: "python" });
  expect(["ir", "gone", "lost"].map((name) => kernelSpecLaunch(name, options))).toEqual([
    {
      issue: "the kernelspec 'ir' is for r, and the python tool needs a Python kernel",
      code: "KERNELSPEC_LANGUAGE",
    },
    {
      issue: "the kernelspec 'gone' starts /gone/python, which does not exist",
      code: "KERNELSPEC_UNUSABLE",
    },
    { issue: "the kernelspec 'lost' starts lost, which is not on PATH", code: "KERNELSPEC_UNUSABLE" },
  ]);
});
