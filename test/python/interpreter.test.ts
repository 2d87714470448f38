import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  brokenActivations,
  findInterpreter,
  type Interpreter,
  type InterpreterOptions,
  type ToolEnvironment,
} from "../../src/python/interpreter.ts";
import { describeInterpreter, describeTried, interpreterLabel } from "../../src/python/interpreter-words.ts";
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

function condaAt(directory: string): string {
  stub(join(directory, "bin/python"));
  mkdirSync(join(directory, "conda-meta"));
  return directory;
}

function search(place: TestPlace, extra: Partial<InterpreterOptions> = {}) {
  return findInterpreter({
    isProjectTrusted: true,
    setting: undefined,
    cwd: place.project,
    managedEnvironment: join(place.home, ".omp/python-env"),
    ...extra,
    env: { HOME: place.home, PATH: join(place.home, "bin"), ...extra.env },
  });
}

describe("the order", () => {
  test("goes from the setting down to python3 on PATH, each giving way to the one before it", async () => {
    const place = temporaryPlace();
    const at = (path: string) => join(place.home, path);
    const found = async () => (await search(place, { env: { VIRTUAL_ENV: at("active") } })).found;

    expect(await found()).toBeUndefined();
    stub(at("bin/python3"));
    expect(await found()).toEqual({ path: at("bin/python3"), source: "PATH", venv: undefined });
    stub(at("bin/python"));
    expect(await found()).toEqual({ path: at("bin/python"), source: "PATH", venv: undefined });
    environmentAt(at(".omp/python-env"));
    expect(await found()).toEqual({
      path: at(".omp/python-env/bin/python"),
      source: "managed",
      venv: at(".omp/python-env"),
    });
    const venv = environmentAt(join(place.project, "venv"));
    expect(await found()).toEqual({ path: join(venv, "bin/python"), source: "venv", venv });
    const dotVenv = environmentAt(join(place.project, ".venv"));
    expect(await found()).toEqual({ path: join(dotVenv, "bin/python"), source: ".venv", venv: dotVenv });
    const active = environmentAt(at("active"));
    expect(await found()).toEqual({ path: join(active, "bin/python"), source: "VIRTUAL_ENV", venv: active });
    expect((await search(place, { setting: "python3", env: { VIRTUAL_ENV: active } })).found).toEqual({
      path: at("bin/python3"),
      source: "setting",
      venv: undefined,
    });
  });

  test("has conda's, pixi's and what poetry and uv name between the project's own and the managed one", async () => {
    const place = temporaryPlace();
    environmentAt(join(place.home, ".omp/python-env"));
    const asked: string[] = [];
    const environments: ToolEnvironment[] = [
      { source: "poetry", path: join(place.project, "poetry.lock"), problem: "names no environment" },
      { source: "uv", path: environmentAt(join(place.home, "uv-environment")) },
    ];
    const namedByTools = async () => {
      asked.push("asked");
      return environments;
    };
    const conda = join(place.home, "conda/envs/data");
    const found = (extra: Partial<InterpreterOptions> = {}) => search(place, { namedByTools, ...extra });

    const { uv, tried } = await found().then((result) => ({ uv: result.found, tried: result.tried }));
    expect(uv).toEqual({
      path: join(place.home, "uv-environment/bin/python"),
      source: "uv",
      venv: join(place.home, "uv-environment"),
    });
    expect(tried.at(-1)).toEqual({
      source: "poetry",
      path: join(place.project, "poetry.lock"),
      problem: "names no environment",
    });
    // Asking a tool makes it read what the project says.
    expect((await found({ isProjectTrusted: false })).found?.source).toBe("managed");
    expect(asked).toEqual(["asked"]);
    const pixi = condaAt(join(place.project, ".pixi/envs/default"));
    expect((await found()).found).toEqual({
      path: join(pixi, "bin/python"),
      source: ".pixi",
      venv: undefined,
      conda: pixi,
    });
    condaAt(conda);
    const env = { HOME: place.home, CONDA_PREFIX: conda };
    expect((await found({ env })).found).toEqual({
      path: join(conda, "bin/python"),
      source: "CONDA_PREFIX",
      venv: undefined,
      conda,
    });
    environmentAt(join(place.project, "venv"));
    expect((await found({ env })).found?.source).toBe("venv");
    expect(asked).toEqual(["asked"]);
  });

  test("looks for the project's environments up to its root, nearest first, and not above it", async () => {
    const place = temporaryPlace();
    const cwd = join(place.project, "packages/api/src");
    mkdirSync(cwd, { recursive: true });
    environmentAt(join(place.project, "../.venv"));
    const below = { cwd, projectRoot: place.project };
    expect((await search(place, below)).found).toBeUndefined();
    const outer = environmentAt(join(place.project, ".venv"));
    expect((await search(place, below)).found).toEqual({
      path: join(outer, "bin/python"),
      source: ".venv",
      venv: outer,
    });
    const inner = environmentAt(join(place.project, "packages/api/venv"));
    expect((await search(place, below)).found?.venv).toBe(inner);
    expect(await search(place, { ...below, isProjectTrusted: false })).toMatchObject({
      found: undefined,
      tried: [
        { source: ".venv", path: join(cwd, ".venv"), problem: "does not exist" },
        { source: "venv", path: join(cwd, "venv"), problem: "does not exist" },
        { source: "venv", path: inner, problem: "is not used: the project is not trusted (omp trust)" },
        { source: ".venv", path: outer, problem: "is not used: the project is not trusted (omp trust)" },
        { source: "managed" },
        { source: "PATH" },
        { source: "PATH" },
      ],
    });
  });

  test("an environment of the project that another user owns is passed over; a link to one is the user's choice", async () => {
    const place = temporaryPlace();
    const theirs = environmentAt(join(place.project, ".venv"));
    // Only root can give files away; nobody else's belong to this user.
    if (process.getuid?.() === 0) chownSync(theirs, 4321, 4321);
    const asSomebody = { uid: 77 };
    expect((await search(place, asSomebody)).tried.slice(0, 2)).toEqual([
      { source: ".venv", path: theirs, problem: "belongs to another user" },
      { source: "venv", path: join(place.project, "venv"), problem: "does not exist" },
    ]);
    const other = temporaryPlace();
    const link = join(other.project, ".venv");
    symlinkSync(theirs, link);
    const { found } = await search(other, { uid: lstatSync(link).uid });
    expect(found).toEqual({ path: join(link, "bin/python"), source: ".venv", venv: link });
  });

  test("an activated environment that is not there is worth a line, unless a setting decides", () => {
    const place = temporaryPlace();
    const gone = join(place.home, "gone");
    const env = { VIRTUAL_ENV: gone, CONDA_PREFIX: condaAt(join(place.home, "conda")) };
    const options = { setting: undefined, env, cwd: place.project };
    expect(brokenActivations(options)).toEqual([`VIRTUAL_ENV is not used: ${gone} does not exist`]);
    expect(brokenActivations({ ...options, setting: "python3" })).toEqual([]);
  });

  test("says what was passed over and why", async () => {
    const place = temporaryPlace();
    mkdirSync(join(place.project, ".venv/bin"), { recursive: true });
    symlinkSync("/nowhere/python3.7", join(place.project, ".venv/bin/python"));
    writeFileSync(join(place.project, "venv"), "");
    stub(join(place.home, ".omp/python-env/bin/python"), 0o644);
    const python3 = stub(join(place.home, "bin/python3"));

    const result = await search(place, { env: { VIRTUAL_ENV: join(place.home, "gone") } });
    expect(result).toEqual({
      found: { path: python3, source: "PATH", venv: undefined },
      tried: [
        { source: "VIRTUAL_ENV", path: join(place.home, "gone"), problem: "does not exist" },
        {
          source: ".venv",
          path: join(place.project, ".venv"),
          problem: "has no usable python: bin/python is a link to a missing file",
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

  test("finds nothing when there is nothing, and an empty VIRTUAL_ENV or PATH entry is nothing", async () => {
    const place = temporaryPlace();
    stub(join(place.project, "python"));
    const result = await search(place, { env: { VIRTUAL_ENV: "", PATH: ":" } });
    expect(result.found).toBeUndefined();
    expect(result.tried.map(({ source }) => source)).toEqual([".venv", "venv", "managed", "PATH", "PATH"]);
  });

  test("takes python3 where python is Python 2", async () => {
    const place = temporaryPlace();
    const old = stub(join(place.home, "bin/python2.7"));
    symlinkSync(old, join(place.home, "bin/python"));
    const python3 = stub(join(place.home, "bin/python3"));
    const result = await search(place);
    expect(result.found?.path).toBe(python3);
    expect(result.tried.at(-1)).toEqual({
      source: "PATH",
      path: join(place.home, "bin/python"),
      problem: "is Python 2",
    });
  });

  test("takes bin/python3 of an environment that has no bin/python", async () => {
    const place = temporaryPlace();
    const path = stub(join(place.project, ".venv/bin/python3"));
    expect((await search(place)).found?.path).toBe(path);
  });

  test("looks in Scripts on Windows", async () => {
    const place = temporaryPlace();
    const path = stub(join(place.project, ".venv/Scripts/python.exe"));
    const { found } = await findInterpreter({
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
  test("may be absolute, from the home, relative to the project, a name on PATH or an environment's directory", async () => {
    const place = temporaryPlace();
    const environment = environmentAt(join(place.home, "envs/data"));
    const path = join(environment, "bin/python");
    const found: Interpreter = { path, source: "setting", venv: environment };

    expect((await search(place, { setting: path })).found).toEqual(found);
    expect((await search(place, { setting: "~/envs/data/bin/python" })).found).toEqual(found);
    expect((await search(place, { setting: "../home/envs/data/bin/python" })).found).toEqual(found);
    expect((await search(place, { setting: "~/envs/data" })).found).toEqual(found);
    expect(
      (await search(place, { setting: "python", env: { PATH: join(environment, "bin") } })).found,
    ).toEqual(found);
  });

  test("that cannot be used is final: nothing else is taken", async () => {
    const place = temporaryPlace();
    environmentAt(join(place.project, ".venv"));
    stub(join(place.home, "bin/python"));
    mkdirSync(join(place.home, "empty"));
    const plain = stub(join(place.home, "plain"), 0o644);
    const problem = (setting: string) => search(place, { setting });

    expect(await problem("python3.99")).toEqual({
      found: undefined,
      tried: [{ source: "setting", path: "python3.99", problem: "is not on PATH" }],
    });
    expect((await problem("./gone")).tried).toEqual([
      { source: "setting", path: join(place.project, "gone"), problem: "does not exist" },
    ]);
    expect((await problem(plain)).tried).toEqual([
      { source: "setting", path: plain, problem: "is not executable" },
    ]);
    expect((await problem("~/empty")).tried).toEqual([
      {
        source: "setting",
        path: join(place.home, "empty"),
        problem: "has no usable python: bin/python does not exist",
      },
    ]);
  });

  test("is relative to the project also when the work is done below it", async () => {
    const place = temporaryPlace();
    const path = stub(join(place.project, "tools/python"));
    const { found } = await findInterpreter({
      isProjectTrusted: true,
      setting: "./tools/python",
      cwd: join(place.project, "sub"),
      projectRoot: place.project,
      env: {},
      managedEnvironment: join(place.home, "none"),
    });
    expect(found?.path).toBe(path);
  });

  test("that is blank is no setting", async () => {
    const place = temporaryPlace();
    environmentAt(join(place.project, ".venv"));
    expect((await search(place, { setting: " " })).found?.source).toBe(".venv");
  });
});

test("an interpreter says where it comes from, and in a word", () => {
  const sources: Interpreter["source"][] = [
    ...(["setting", "VIRTUAL_ENV", ".venv", "venv", "CONDA_PREFIX", ".pixi", "poetry", "uv"] as const),
    ...(["managed", "PATH"] as const),
  ];
  const words = (source: Interpreter["source"]) => {
    const found = { path: "/p/bin/python", source, venv: source === "PATH" ? undefined : "/p/data" };
    return [describeInterpreter(found), interpreterLabel(found)];
  };
  expect(sources.map(words)).toEqual([
    ["/p/bin/python (from the setting python.interpreter)", "data"],
    ["/p/bin/python (from VIRTUAL_ENV)", "data"],
    ["/p/bin/python (from /p/data)", "data"],
    ["/p/bin/python (from /p/data)", "data"],
    ["/p/bin/python (from CONDA_PREFIX)", "data"],
    ["/p/bin/python (from /p/data)", "pixi"],
    ["/p/bin/python (from poetry: /p/data)", "poetry"],
    ["/p/bin/python (from uv: /p/data)", "uv"],
    ["/p/bin/python (the managed environment)", "managed"],
    ["/p/bin/python (from PATH)", "PATH"],
  ]);
});
