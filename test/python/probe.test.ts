import { beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { probeInterpreter } from "../../src/python/probe.ts";
import { temporaryDirectory } from "../support/home.ts";

/** A real environment without packages, made anew for this file. */
const environment = join(temporaryDirectory({ lasts: "file" }), "environment");
const python = join(environment, "bin/python");
let sitePackages = "";
let env: Record<string, string> = {};

beforeAll(async () => {
  const path = process.env["PATH"] ?? "";
  await Bun.$`python3 -m venv --without-pip ${environment}`.quiet();
  sitePackages = (await Bun.$`${python} -c ${"import site; print(site.getsitepackages()[0])"}`.text()).trim();
  env = { PATH: path, HOME: environment };
});

/** A package as installers leave it. It fails on import: the probe must not import. */
function installPackage(directory: string, name: string, version: string): void {
  mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, name, "__init__.py"), "raise RuntimeError('imported')\n");
  mkdirSync(join(directory, `${name}-${version}.dist-info`), { recursive: true });
  writeFileSync(
    join(directory, `${name}-${version}.dist-info/METADATA`),
    `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
  );
}

function program(text: string, mode = 0o755): string {
  const path = join(temporaryDirectory(), "program");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

async function problemOf(path: string, timeoutMs = 30_000): Promise<string | undefined> {
  const facts = await probeInterpreter(path, { env, timeoutMs });
  const nothing = { version: undefined, implementation: undefined, prefix: undefined, packages: {} };
  expect(facts).toEqual({
    path,
    ...nothing,
    installer: "none",
    tag: undefined,
    paths: [],
    problem: expect.any(String) as string,
  });
  return facts.problem;
}

describe("a real interpreter", () => {
  test("tells its version, its prefix, and the packages it has without importing them", async () => {
    const library = temporaryDirectory();
    installPackage(library, "ipykernel", "7.1.0");
    installPackage(library, "jupyter_kernel_gateway", "3.0.1");
    mkdirSync(join(library, "kernel_gateway"));
    writeFileSync(join(library, "kernel_gateway/__init__.py"), "");
    writeFileSync(join(library, "numpy.py"), "");

    const facts = await probeInterpreter(python, { env: { ...env, PYTHONPATH: library } });
    expect(facts).toEqual({
      path: python,
      version: expect.stringMatching(/^3\.\d+\.\d+/) as string,
      implementation: "cpython",
      prefix: environment,
      packages: { ipykernel: "7.1.0", kernel_gateway: "3.0.1", numpy: "unknown" },
      installer: expect.stringMatching(/^(ensurepip|none)$/) as "none",
      tag: expect.stringMatching(/^cpython-3\d+/) as string,
      paths: expect.arrayContaining([library]) as string[],
    });
  });

  test("is understood through the noise of its start-up hooks and its own failing end", async () => {
    const library = temporaryDirectory();
    writeFileSync(
      join(library, "sitecustomize.py"),
      [
        "import atexit, os, sys",
        "print('welcome', end='')",
        "sys.stdout.write('omp-probe-1:{}\\n')",
        "sys.stdout = open(os.devnull, 'w')",
        "atexit.register(lambda: os._exit(7))",
      ].join("\n"),
    );
    const facts = await probeInterpreter(python, { env: { ...env, PYTHONPATH: library } });
    expect(facts.problem).toBeUndefined();
    expect(facts.prefix).toBe(environment);
  });
});

describe("something else", () => {
  test("that says nothing", async () => {
    expect(await problemOf("/bin/true")).toBe("does not behave like a Python interpreter");
  });

  test("that fails", async () => {
    expect(await problemOf(program("#!/bin/sh\necho 'pyenv: no such version' >&2\nexit 127\n"))).toBe(
      "failed with exit code 127: pyenv: no such version",
    );
  });

  test("that crashes", async () => {
    expect(await problemOf(program("#!/bin/sh\nkill -SEGV $$\n"))).toBe("crashed with SIGSEGV");
  });

  test("that hangs", async () => {
    expect(await problemOf(program("#!/bin/sh\nexec sleep 1000\n"), 300)).toBe(
      "did not answer within 0.3 seconds",
    );
  });

  test("that floods its output", async () => {
    expect(await problemOf(program("#!/bin/sh\nhead -c 3000000 /dev/zero\nexit 1\n"))).toBe(
      "failed with exit code 1",
    );
  });

  test("that is no program, or gone", async () => {
    expect(await problemOf(program("\u007fELFnothing"))).toBe("cannot be started (ENOEXEC)");
    expect(await problemOf(program("", 0o644))).toBe("cannot be started (EACCES)");
    expect(await problemOf("/nowhere/python")).toBe("cannot be started (ENOENT)");
  });

  test("that answers with the marker and nonsense", async () => {
    expect(await problemOf(program('#!/bin/sh\nprintf \'%s{"version": 3}\\n\' "$3"\n'))).toBe(
      "gave an unexpected answer",
    );
  });
});

describe("the cache", () => {
  /** Counts how often the real Python runs: its start-up hook leaves a mark each time. */
  function counting() {
    const library = temporaryDirectory();
    const marks = join(temporaryDirectory(), "marks");
    writeFileSync(join(library, "sitecustomize.py"), `open(${JSON.stringify(marks)}, 'a').write('x')\n`);
    const cacheFile = join(temporaryDirectory(), "home/agent/cache/interpreters.json");
    const options = { env: { ...env, PYTHONPATH: library, PYTHONDONTWRITEBYTECODE: "1" }, cacheFile };
    return {
      cacheFile,
      library,
      options,
      probe: (path = python) => probeInterpreter(path, options),
      runs: () => (existsSync(marks) ? readFileSync(marks, "utf8").length : 0),
    };
  }

  test("answers the second time, privately, without a process", async () => {
    const { cacheFile, probe, runs } = counting();
    const first = await probe();
    expect(await probe()).toEqual(first);
    expect(runs()).toBe(1);
    expect(statSync(cacheFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(cacheFile, "..")).mode & 0o777).toBe(0o700);
  });

  test("is old as soon as a package is installed", async () => {
    const { probe, runs } = counting();
    expect((await probe()).packages).toEqual({});
    installPackage(sitePackages, "ipykernel", "6.29.5");
    expect((await probe()).packages).toEqual({ ipykernel: "6.29.5" });
    await probe();
    expect(runs()).toBe(2);
  });

  test("is old when the variables that move the module path change", async () => {
    const { options, probe, runs } = counting();
    await probe();
    const other = temporaryDirectory();
    installPackage(other, "pandas", "3.0.0");
    const PYTHONPATH = `${options.env.PYTHONPATH}:${other}`;
    const facts = await probeInterpreter(python, { ...options, env: { ...options.env, PYTHONPATH } });
    expect(facts.packages.pandas).toBe("3.0.0");
    expect(runs()).toBe(2);
  });

  test("that is corrupt is ignored and written anew", async () => {
    for (const content of [
      "{",
      "[]",
      '{"format":1,"entries":[]}',
      `{"format":1,"entries":{"${python}":{}}}`,
    ]) {
      const { cacheFile, probe, runs } = counting();
      mkdirSync(join(cacheFile, ".."), { recursive: true });
      writeFileSync(cacheFile, content);
      await probe();
      await probe();
      expect([content, runs()]).toEqual([content, 1]);
    }
  });

  test("remembers neither failures nor wrappers that may run another Python tomorrow", async () => {
    const { cacheFile, probe, runs } = counting();
    await probe("/bin/false");
    expect(existsSync(cacheFile)).toBe(false);
    const wrapper = program(`#!/bin/sh\nexec ${python} "$@"\n`);
    expect((await probe(wrapper)).prefix).toBe(environment);
    await probe(wrapper);
    expect(runs()).toBe(2);
  });

  test("that cannot be written does not matter", async () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    const facts = await probeInterpreter(python, { env, cacheFile: join(file, "agent/cache.json") });
    expect(facts.prefix).toBe(environment);
  });
});
