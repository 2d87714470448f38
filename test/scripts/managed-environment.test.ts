/** Environments are whole or not there, whatever happens to their builder. Real venvs, a package index of one package. */

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLockFile, removeLockFile } from "../../src/process/file-lock.ts";
import { findBasePythons } from "../../src/python/base-pythons.ts";
import {
  type EnvironmentPlan,
  ensureEnvironment,
  environmentIsCurrent,
  managedPlan,
  readEnvironment,
} from "../../src/python/managed-environment.ts";
import { EnvironmentError } from "../../src/python/managed-environment-errors.ts";
import { temporaryDirectory } from "../support/home.ts";
import { slowFile } from "../support/limits.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";
import { indexOutOfReach, onlyFrom, pathWith, pipIndex, tinyIndex } from "../support/wheel.ts";

slowFile(60, "makes virtual environments with pip");
const builder = join(import.meta.dir, "fixtures", "ensure-environment.ts");

function tinyPlan(
  target: string,
  env: Record<string, string>,
  changes: Partial<EnvironmentPlan> = {},
): EnvironmentPlan {
  return managedPlan({
    target,
    requirements: { packages: ["omp-tiny==1.0"] },
    imports: ["omp_tiny"],
    elsewhere: [],
    borrow: false,
    adopt: false,
    env,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...changes,
  });
}

describeWithPython(testPython, "managed environments", () => {
  const index = tinyIndex("1.0", "2.0");
  const basePython = readEnvironment(testPython.venv)?.executable ?? "";
  const path = pathWith({ python3: basePython });
  const env = { PATH: path, HOME: temporaryDirectory({ lasts: "file" }), ...onlyFrom(index) };

  const planFor = (target: string, changes: Partial<EnvironmentPlan> = {}) => tinyPlan(target, env, changes);

  const output = (argv: string[]) => Bun.spawnSync(argv).stdout.toString();
  const failure = (promise: Promise<unknown>): Promise<EnvironmentError> =>
    promise.then(
      () => expect.unreachable("it should fail"),
      (error: unknown) => (error instanceof EnvironmentError ? error : Promise.reject(error)),
    );

  const noPython = { PATH: temporaryDirectory({ lasts: "file" }), HOME: env.HOME };

  test("of two builders at once one builds, aside, and what it made works in its place", async () => {
    const parent = join(temporaryDirectory(), "with space");
    const target = join(parent, "env");
    mkdirSync(parent);
    const build = () =>
      Bun.spawn([process.execPath, builder, target, "omp-tiny==1.0"], {
        env,
        stdout: "pipe",
        stderr: "pipe",
      });
    const outputs = await Promise.all([build(), build()].map((child) => new Response(child.stdout).text()));
    expect(outputs.sort()).toEqual(['{"changed":false}\n', '{"changed":true}\n']);

    expect(readdirSync(parent)).toEqual(["env"]);
    expect(statSync(target).mode & 0o777).toBe(0o700);
    expect(output([join(target, "bin/omp-tiny")])).toBe("1.0\n");
    expect(output([join(target, "bin/pip"), "--version"])).toContain(target);
    const scripts = readdirSync(join(target, "bin")).map((name) => join(target, "bin", name));
    const texts = [...scripts, join(target, "pyvenv.cfg")].filter((file) => statSync(file).size < 100_000);
    expect(texts.filter((file) => readFileSync(file).includes("partial-"))).toEqual([]);

    const { record } = await ensureEnvironment(planFor(target, { env: noPython }));
    expect([record.way, record.packages["omp-tiny"]]).toEqual(["pip", "1.0"]);
    // Other requirements: it is made anew, or, when that fails, stays as it was.
    const newer = planFor(target, { requirements: { packages: ["omp-tiny==2.0"] } });
    expect([environmentIsCurrent(planFor(target)), environmentIsCurrent(newer)]).toEqual([true, false]);
    await failure(ensureEnvironment({ ...newer, env: noPython }));
    expect(output([join(target, "bin/omp-tiny")])).toBe("1.0\n");
    expect((await ensureEnvironment(newer)).changed).toBe(true);
    expect(output([join(target, "bin/omp-tiny")])).toBe("2.0\n");
    expect(readdirSync(parent)).toEqual(["env"]);
  });

  test("a builder that is killed leaves nothing that is used, and the next one cleans up", async () => {
    const parent = temporaryDirectory();
    const target = join(parent, "env");
    // An index that takes the question and never answers.
    const asked = Promise.withResolvers<void>();
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => asked.resolve() } });
    const index = { ...indexOutOfReach, PIP_INDEX_URL: `http://127.0.0.1:${silent.port}/simple` };
    const child = Bun.spawn([process.execPath, builder, target, "omp-tiny"], {
      // The watchdog needs `rm`.
      env: { PATH: `${path}:/usr/bin:/bin`, HOME: env.HOME, ...index },
      stdout: "pipe",
      stderr: "pipe",
    });
    await asked.promise;
    child.kill("SIGKILL");
    await child.exited;
    // The watchdog ends pip and takes its directory away; only the dead builder's lock is left.
    await until("the directory is gone", () => readdirSync(parent).join() === "env.lock");
    silent.stop(true);
    // As if the machine had gone down: not even the watchdog was left.
    mkdirSync(join(parent, `env.partial-${child.pid}-0/bin`), { recursive: true });
    await failure(ensureEnvironment(planFor(target, { env: noPython })));
    expect(readdirSync(parent)).toEqual([]);
  });

  test("a builder that waits for another says for which, and works when that one has released the lock", async () => {
    const target = join(temporaryDirectory(), "env");
    const lock = openLockFile(`${target}.lock`);
    const lines: string[] = [];
    const plan = planFor(target, { env: noPython, onProgress: (line) => lines.push(line) });
    const building = failure(ensureEnvironment(plan));
    await until("it waits", () => lines.length > 0);
    expect(lines).toEqual([`waiting for another set-up (process ${process.pid})`]);
    removeLockFile(`${target}.lock`, lock ?? -1);
    expect((await building).code).toBe("NO_PYTHON");
  });

  test("stopping a builder removes what it began", async () => {
    const parent = temporaryDirectory();
    const stop = new AbortController();
    const begun = () => readdirSync(parent).some((name) => name.startsWith("env.partial-"));
    // A pip that is killed leaves its own temporary files.
    const own = { ...env, TMPDIR: temporaryDirectory() };
    const building = ensureEnvironment(planFor(join(parent, "env"), { env: own, signal: stop.signal }));
    await until("the environment has begun", begun);
    stop.abort();
    await expect(building).rejects.toThrow();
    expect(readdirSync(parent)).toEqual([]);
  });

  test("neither Python nor pip gets keys, but how to reach the index", async () => {
    const seen = join(temporaryDirectory(), "seen");
    const python3 = join(temporaryDirectory(), "python3");
    writeFileSync(python3, `#!/bin/sh\nenv >> '${seen}'\nexit 1\n`, { mode: 0o755 });
    const keys = {
      ANTHROPIC_API_KEY: "sk-1",
      AWS_SECRET_ACCESS_KEY: "2",
      PIP_INDEX_URL: "http://u:p@127.0.0.1:9/",
    };
    const plan = planFor(join(temporaryDirectory(), "env"), {
      env: { ...env, ...keys, PATH: `${pathWith({ python3 })}:/usr/bin:/bin` },
    });
    await ensureEnvironment(plan).catch(() => undefined);
    const text = readFileSync(seen, "utf8");
    expect(text).toContain("PIP_INDEX_URL=http://u:p@127.0.0.1:9/");
    expect(text).not.toMatch(/ANTHROPIC|AWS_/);
  });

  test("Pythons of different versions under one prefix are told apart, one under several names is not", async () => {
    // As in /usr: the prefix is the same, only the version differs.
    const wrapper = (version: string) => {
      const file = join(temporaryDirectory(), "python3");
      const script = `#!/bin/sh\n'${basePython}' "$@" | sed 's/"version": "[^"]*"/"version": "${version}"/'\n`;
      writeFileSync(file, script, { mode: 0o755 });
      return file;
    };
    const [newer, older] = [wrapper("3.12.1"), wrapper("3.11.2")];
    const PATH = `${pathWith({ python3: newer, "python3.12": newer, "python3.11": older })}:/usr/bin:/bin`;
    const search = { env: { PATH }, cwd: "/", signal: new AbortController().signal, elsewhere: [older] };
    const versions: string[] = [];
    for await (const { version } of findBasePythons(search, () => undefined)) versions.push(version);
    expect(versions.slice(0, 2)).toEqual(["3.12.1", "3.11.2"]);
  });

  test("a disk that is full is said instead of all that was tried", async () => {
    const parent = temporaryDirectory();
    const full = join(temporaryDirectory(), "python3");
    const script = `#!/bin/sh\ncase "$*" in *venv*) echo 'OSError: [Errno 28] No space left on device' >&2; exit 1 ;; esac\nexec '${basePython}' "$@"\n`;
    writeFileSync(full, script, { mode: 0o755 });
    const plan = planFor(join(parent, "env"), { env: { ...env, PATH: pathWith({ python3: full }) } });
    const error = await ensureEnvironment(plan).catch((reason: unknown) => reason);
    expect(String(error)).toBe(`UnwritableError: setup: cannot write in '${parent}' (ENOSPC)`);
  });

  test("an environment whose Python is gone, or another one now, does not count", async () => {
    const target = join(temporaryDirectory(), "env");
    mkdirSync(join(target, "bin"), { recursive: true });
    writeFileSync(join(target, "omp-environment.json"), JSON.stringify({ executable: "/nowhere/python3" }));
    expect(readEnvironment(target)).toBeUndefined();
    symlinkSync(basePython, join(target, "bin", "python"));
    expect(readEnvironment(target)).toBeUndefined();
  });

  test("without an index, another Python's ipykernel is used", async () => {
    const target = join(temporaryDirectory(), "env");
    const offline = { PATH: path, HOME: env.HOME, ...indexOutOfReach };
    const plan = managedPlan({
      ...planFor(target),
      env: offline,
      requirements: { packages: ["ipykernel"] },
      borrow: true,
      elsewhere: [testPython.path],
    });
    const { record } = await ensureEnvironment(plan);
    expect([record.way, record.packages["ipykernel"]]).toEqual([
      "borrowed",
      testPython.packages["ipykernel"],
    ]);
    const version = output([
      join(target, "bin/python"),
      "-c",
      "import ipykernel; print(ipykernel.__version__)",
    ]);
    expect(version).toBe(`${testPython.packages["ipykernel"]}\n`);
  });

  test("without an index and without any ipykernel it says what was tried, and leaves nothing", async () => {
    const parent = temporaryDirectory();
    const offline = { PATH: path, HOME: env.HOME, ...indexOutOfReach };
    const error = await failure(
      ensureEnvironment(planFor(join(parent, "env"), { env: offline, borrow: true })),
    );
    expect(error.message).toBe(`setup: no Python environment could be made at ${parent}/env (NO_PYTHON)`);
    expect(error.tried).toEqual([
      { what: `${path}/python3 -m pip install`, problem: expect.stringContaining("omp-tiny==1.0") },
      { what: `${path}/python3`, problem: "has no ipykernel" },
    ]);
    expect(readdirSync(parent)).toEqual([]);
  });

  test("without any Python it says so", async () => {
    const plan = planFor(join(temporaryDirectory(), "env"), { env: noPython });
    expect((await failure(ensureEnvironment(plan))).tried).toEqual([
      { what: "python3", problem: "is not on PATH", lacks: "Python" },
    ]);
  });

  test("one that was made by hand is taken as it is when it works", async () => {
    const target = join(temporaryDirectory(), "env");
    Bun.spawnSync([basePython, "-m", "venv", "--without-pip", target]);
    const packages = output([
      join(target, "bin/python"),
      "-c",
      "import sysconfig; print(sysconfig.get_path('purelib'))",
    ]);
    writeFileSync(join(packages.trim(), "omp_tiny.py"), "");
    const plan = planFor(target, { adopt: true });
    const { record, changed } = await ensureEnvironment(plan);
    expect([record.way, changed]).toEqual(["by hand", false]);
  });
});

describeWithPython(
  testPython,
  "managed environments with uv",
  () => {
    const index = tinyIndex("1.0");
    const basePython = readEnvironment(testPython.venv)?.executable ?? "";
    const path = pathWith({ python3: basePython, uv: join(testPython.venv, "bin", "uv") });
    const home = temporaryDirectory({ lasts: "file" });
    const shared = {
      PATH: path,
      HOME: home,
      UV_CACHE_DIR: join(home, "cache"),
      UV_PYTHON_DOWNLOADS: "never",
    };

    async function build(env: Record<string, string>) {
      const target = join(temporaryDirectory(), "env");
      const { record } = await ensureEnvironment(tinyPlan(target, { ...shared, ...env }));
      return { target, way: record.way, packages: record.packages };
    }
    const output = (argv: string[]) => Bun.spawnSync(argv).stdout.toString();

    test("uv makes it, with pip in it, and it works in its final directory", async () => {
      const config = join(temporaryDirectory(), "uv.toml");
      writeFileSync(config, `no-index = true\nfind-links = ${JSON.stringify([index, pipIndex()])}\n`);
      const { target, way, packages } = await build({ UV_CONFIG_FILE: config });
      expect([way, packages["omp-tiny"]]).toEqual(["uv", "1.0"]);
      expect(output([join(target, "bin/omp-tiny")])).toBe("1.0\n");
      expect(output([join(target, "bin/pip"), "--version"])).toContain(target);
    });

    test("pip makes it when uv fails", async () => {
      const { target, way } = await build(onlyFrom(index));
      expect([way, output([join(target, "bin/omp-tiny")])]).toEqual(["pip", "1.0\n"]);
    });

    test("what uv said is reported when nothing works", async () => {
      const uvOnly = pathWith({ uv: join(testPython.venv, "bin", "uv") });
      const error = await build({ PATH: uvOnly }).catch((reason: unknown) => reason);
      expect(error instanceof EnvironmentError && error.tried).toEqual([
        { what: "uv venv", problem: expect.stringContaining("No interpreter found") },
        { what: "python3", problem: "is not on PATH", lacks: "Python" },
      ]);
    });
  },
  ["uv"],
);
