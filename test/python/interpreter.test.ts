import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  describeInterpreter,
  describeTried,
  findInterpreter,
  type Interpreter,
} from "../../src/python/interpreter.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";

/** Resolution starts nothing, so an executable file is all the Python it needs. */
function stub(path: string, mode = 0o755): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "#!/bin/sh\nexit 3\n");
  chmodSync(path, mode);
  return path;
}

function environmentAt(directory: string): string {
  stub(join(directory, "bin/python"));
  writeFileSync(join(directory, "pyvenv.cfg"), "home = /usr/bin\n");
  return directory;
}

function search(place: TestPlace, extra: { setting?: string; env?: Record<string, string> } = {}) {
  return findInterpreter({
    isProjectTrusted: true,
    setting: extra.setting,
    cwd: place.project,
    env: { HOME: place.home, PATH: join(place.home, "bin"), ...extra.env },
    managedEnvironment: join(place.home, ".omp/python-env"),
  });
}

describe("the order", () => {
  test("goes from the setting down to python3 on PATH, each giving way to the one before it", () => {
    const place = temporaryPlace();
    const at = (path: string) => join(place.home, path);
    const found = () => search(place, { env: { VIRTUAL_ENV: at("active") } }).found;

    expect(found()).toBeUndefined();
    stub(at("bin/python3"));
    expect(found()).toEqual({ path: at("bin/python3"), source: "PATH", venv: undefined });
    stub(at("bin/python"));
    expect(found()).toEqual({ path: at("bin/python"), source: "PATH", venv: undefined });
    environmentAt(at(".omp/python-env"));
    expect(found()).toEqual({
      path: at(".omp/python-env/bin/python"),
      source: "managed",
      venv: at(".omp/python-env"),
    });
    const venv = environmentAt(join(place.project, "venv"));
    expect(found()).toEqual({ path: join(venv, "bin/python"), source: "venv", venv });
    const dotVenv = environmentAt(join(place.project, ".venv"));
    expect(found()).toEqual({ path: join(dotVenv, "bin/python"), source: ".venv", venv: dotVenv });
    const active = environmentAt(at("active"));
    expect(found()).toEqual({ path: join(active, "bin/python"), source: "VIRTUAL_ENV", venv: active });
    expect(search(place, { setting: "python3", env: { VIRTUAL_ENV: active } }).found).toEqual({
      path: at("bin/python3"),
      source: "setting",
      venv: undefined,
    });
  });

  test("says what was passed over and why", () => {
    const place = temporaryPlace();
    mkdirSync(join(place.project, ".venv/bin"), { recursive: true });
    symlinkSync("/nowhere/python3.7", join(place.project, ".venv/bin/python"));
    writeFileSync(join(place.project, "venv"), "");
    stub(join(place.home, ".omp/python-env/bin/python"), 0o644);
    const python3 = stub(join(place.home, "bin/python3"));

    const result = search(place, { env: { VIRTUAL_ENV: join(place.home, "gone") } });
    expect(result).toEqual({
      found: { path: python3, source: "PATH", venv: undefined },
      tried: [
        { source: "VIRTUAL_ENV", path: join(place.home, "gone"), problem: "does not exist" },
        {
          source: ".venv",
          path: join(place.project, ".venv"),
          problem: "has no usable python: bin/python is a link to something that is gone",
        },
        { source: "venv", path: join(place.project, "venv"), problem: "is not a directory" },
        {
          source: "managed",
          path: join(place.home, ".omp/python-env"),
          problem: "has no usable python: bin/python is not executable",
        },
        { source: "PATH", path: "python", problem: "is not on PATH" },
      ],
    });
    expect(describeTried(result).at(0)).toBe(`VIRTUAL_ENV: ${join(place.home, "gone")} does not exist`);
  });

  test("finds nothing when there is nothing, and an empty VIRTUAL_ENV or PATH entry is nothing", () => {
    const place = temporaryPlace();
    stub(join(place.project, "python"));
    const result = search(place, { env: { VIRTUAL_ENV: "", PATH: ":" } });
    expect(result.found).toBeUndefined();
    expect(result.tried.map(({ source }) => source)).toEqual([".venv", "venv", "managed", "PATH", "PATH"]);
  });

  test("takes python3 where python is Python 2", () => {
    const place = temporaryPlace();
    const old = stub(join(place.home, "bin/python2.7"));
    symlinkSync(old, join(place.home, "bin/python"));
    const python3 = stub(join(place.home, "bin/python3"));
    const result = search(place);
    expect(result.found?.path).toBe(python3);
    expect(result.tried.at(-1)).toEqual({
      source: "PATH",
      path: join(place.home, "bin/python"),
      problem: "is Python 2",
    });
  });

  test("takes bin/python3 of an environment that has no bin/python", () => {
    const place = temporaryPlace();
    const path = stub(join(place.project, ".venv/bin/python3"));
    expect(search(place).found?.path).toBe(path);
  });

  test("looks in Scripts on Windows", () => {
    const place = temporaryPlace();
    const path = stub(join(place.project, ".venv/Scripts/python.exe"));
    const { found } = findInterpreter({
      isProjectTrusted: true,
      setting: undefined,
      cwd: place.project,
      env: {},
      managedEnvironment: join(place.home, "none"),
      platform: "win32",
    });
    expect(found).toEqual({ path, source: ".venv", venv: join(place.project, ".venv") });
  });
});

describe("the setting", () => {
  test("may be absolute, from the home, relative to the project, a name on PATH or an environment's directory", () => {
    const place = temporaryPlace();
    const environment = environmentAt(join(place.home, "envs/data"));
    const path = join(environment, "bin/python");
    const found: Interpreter = { path, source: "setting", venv: environment };

    expect(search(place, { setting: path }).found).toEqual(found);
    expect(search(place, { setting: "~/envs/data/bin/python" }).found).toEqual(found);
    expect(search(place, { setting: "../home/envs/data/bin/python" }).found).toEqual(found);
    expect(search(place, { setting: "~/envs/data" }).found).toEqual(found);
    expect(search(place, { setting: "python", env: { PATH: join(environment, "bin") } }).found).toEqual(
      found,
    );
  });

  test("that cannot be used is final: nothing else is taken", () => {
    const place = temporaryPlace();
    environmentAt(join(place.project, ".venv"));
    stub(join(place.home, "bin/python"));
    mkdirSync(join(place.home, "empty"));
    const plain = stub(join(place.home, "plain"), 0o644);
    const problem = (setting: string) => search(place, { setting });

    expect(problem("python3.99")).toEqual({
      found: undefined,
      tried: [{ source: "setting", path: "python3.99", problem: "is not on PATH" }],
    });
    expect(problem("./gone").tried).toEqual([
      { source: "setting", path: join(place.project, "gone"), problem: "does not exist" },
    ]);
    expect(problem(plain).tried).toEqual([{ source: "setting", path: plain, problem: "is not executable" }]);
    expect(problem("~/empty").tried).toEqual([
      {
        source: "setting",
        path: join(place.home, "empty"),
        problem: "has no usable python: bin/python does not exist",
      },
    ]);
  });

  test("is relative to the project also when the work is done below it", () => {
    const place = temporaryPlace();
    const path = stub(join(place.project, "tools/python"));
    const { found } = findInterpreter({
      isProjectTrusted: true,
      setting: "./tools/python",
      cwd: join(place.project, "sub"),
      projectRoot: place.project,
      env: {},
      managedEnvironment: join(place.home, "none"),
    });
    expect(found?.path).toBe(path);
  });

  test("that is blank is no setting", () => {
    const place = temporaryPlace();
    environmentAt(join(place.project, ".venv"));
    expect(search(place, { setting: " " }).found?.source).toBe(".venv");
  });
});

test("an interpreter says where it comes from", () => {
  const describe = (source: Interpreter["source"]) =>
    describeInterpreter({ path: "/p/bin/python", source, venv: "/p" });
  expect([
    describe("setting"),
    describe("VIRTUAL_ENV"),
    describe(".venv"),
    describe("venv"),
    describe("managed"),
    describe("PATH"),
  ]).toEqual([
    "/p/bin/python (from the setting python.interpreter)",
    "/p/bin/python (from VIRTUAL_ENV)",
    "/p/bin/python (from /p)",
    "/p/bin/python (from /p)",
    "/p/bin/python (the managed environment)",
    "/p/bin/python (from PATH)",
  ]);
});
