/** `omp setup` as a user runs it, without a package index: the Python of the tests stands for the machine's. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { failureReport, type Machine } from "../../src/commands/setup-report.ts";
import type { Attempt } from "../../src/python/base-pythons.ts";
import { EnvironmentError, UnwritableError } from "../../src/python/managed-environment-errors.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { slowFile } from "../support/limits.ts";
import { launcher, omp, userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";
import { indexOutOfReach, pathWith } from "../support/wheel.ts";

slowFile(60, "makes virtual environments with pip");

test("a home that cannot be written is one line with its remedy, and exit 1", async () => {
  const place = temporaryPlace();
  // Below a file: refused to everybody, also to root.
  const env = { OMP_HOME: "/dev/null/omp" };
  const error = "setup: cannot write in '/dev/null/omp' (ENOTDIR)";
  const fix = "make /dev/null/omp writable, or set OMP_HOME";
  expect(await omp(["setup"], { place, env })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `${error}\nTo fix it: ${fix}\nUntil then the python tool is off; everything else works.\n`,
  });
  const asJson = await omp(["setup", "--json"], { place, env });
  expect({ ...asJson, stdout: JSON.parse(asJson.stdout) }).toEqual({
    exitCode: 1,
    stdout: { ok: false, error, tried: [], fix },
    stderr: "",
  });
});

describeWithPython(testPython, "omp setup", () => {
  const path = `${pathWith({ python3: testPython.path })}:/usr/bin:/bin`;
  const env = { ...indexOutOfReach, PATH: path };
  const facts = [testPython.packages["ipykernel"]];

  test("makes the environment, then finds it fine, and makes it anew when told to", async () => {
    const place = temporaryPlace();
    const python = join(place.home, ".omp/python-env/bin/python");
    const first = await omp(["setup"], { place, env });
    expect(first.stdout.replace(/Python 3\S*,/, "Python 3,")).toBe(
      `Ready: ${python}\nPython 3, ipykernel ${facts[0]}\n` +
        "The package index could not be reached, so it uses the packages of another Python on this machine.\nNext: omp doctor\n",
    );
    expect(first.stderr.split("\n").every((line) => line === "" || line.startsWith("setup: "))).toBe(true);
    expect(first.exitCode).toBe(0);

    const second = await omp(["setup", "--json"], { place, env });
    expect({ ...second, stdout: JSON.parse(second.stdout) }).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: {
        ok: true,
        changed: false,
        python,
        version: expect.stringMatching(/^3\.\d+\.\d+$/),
        ipykernel: facts[0],
        way: "borrowed",
        pinned: false,
        lost: [],
        used: { path: python, source: "managed", venv: join(place.home, ".omp/python-env") },
        problem: null,
      },
    });
    const forced = await omp(["setup", "--json", "--force"], { place, env });
    expect([forced.exitCode, JSON.parse(forced.stdout).changed]).toEqual([0, true]);
  });

  test("says so when the project's own environment goes before it, which it lends ipykernel to", async () => {
    const place = temporaryPlace();
    const venv = join(place.project, ".venv");
    Bun.spawnSync([testPython.path, "-m", "venv", "--without-pip", venv]);
    const { exitCode, stdout } = await omp(["setup", "--trust"], { place, env });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`In this directory omp uses ${venv}/bin/python (from ${venv}).\n`);
    expect(stdout).toEndWith("Next: omp doctor\n");
  });

  test("Ctrl+C stops it and leaves nothing", async () => {
    const place: TestPlace = temporaryPlace();
    const home = join(place.home, ".omp");
    mkdirSync(home);
    const child = Bun.spawn([launcher, "setup"], {
      cwd: place.project,
      env: userEnvironment(place, env),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    await until("it has begun", () => readdirSync(home).some((name) => name.includes(".partial-")));
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    expect(await new Response(child.stderr).text()).toEndWith(
      "setup: stopped; nothing was changed (INTERRUPTED)\n",
    );
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("when nothing works, one screen says what was tried and what to run", () => {
  const tried = [
    {
      what: "/usr/bin/python3 -m pip install",
      problem: "ERROR: No matching distribution found for ipykernel",
    },
    { what: "/usr/bin/python3", problem: "has no ipykernel" },
  ];
  const on = (platform: NodeJS.Platform, ...files: string[]) => ({
    platform,
    fileExists: (file: string) => files.includes(file),
  });

  test("on Debian", () => {
    const error = new EnvironmentError("/home/u/.omp/python-env", tried);
    expect(failureReport(error, on("linux", "/usr/bin/apt-get"))).toBe(
      [
        "setup: no Python environment could be made at /home/u/.omp/python-env (NO_PYTHON)",
        "Tried:",
        "  /usr/bin/python3 -m pip install: ERROR: No matching distribution found for ipykernel",
        "  /usr/bin/python3: has no ipykernel",
        "To fix it, run: sudo apt-get install --no-install-recommends python3-ipykernel && omp setup",
      ].join("\n"),
    );
  });

  test("names what is missing and no more, and the system's own command", () => {
    const lacking = (lacks: Attempt["lacks"]) => [
      { what: "/usr/bin/python3", problem: "fails", ...(lacks && { lacks }) },
    ];
    const lastLine = (machine: Machine, lacks?: Attempt["lacks"]) =>
      failureReport(new EnvironmentError("/e", lacking(lacks)), machine)
        .split("\n")
        .at(-1);
    const debian = on("linux", "/usr/bin/apt-get");
    const apt = "To fix it, run: sudo apt-get install --no-install-recommends";
    expect(lastLine(debian, "pip")).toBe(`${apt} python3-venv && omp setup`);
    expect(lastLine(debian, "library")).toBe(`${apt} python3 && omp setup`);
    expect(lastLine(debian, "Python")).toBe(`${apt} python3 && omp setup`);
    expect(lastLine(debian)).toBe(`${apt} python3-ipykernel && omp setup`);
    expect(lastLine({ ...debian, isRoot: true }, "pip")).toBe(
      "To fix it, run: apt-get install --no-install-recommends python3-venv && omp setup",
    );
    expect(lastLine(on("linux", "/sbin/apk"), "Python")).toBe(
      "To fix it, run: sudo apk add python3 && omp setup",
    );
    expect(lastLine(on("darwin", "/opt/homebrew/bin/brew"))).toBe(
      "To fix it, run: brew install python && omp setup",
    );
    expect(lastLine(on("darwin"))).toBe("To fix it, run: xcode-select --install && omp setup");
    expect(lastLine(on("linux"))).toBe("To fix it, run: omp setup (with Python 3.9 or newer and a network)");
  });

  test("a full disk is one line with its remedy", () => {
    expect(failureReport(new UnwritableError("/home/u/.omp", "ENOSPC"), on("linux"))).toBe(
      "setup: cannot write in '/home/u/.omp' (ENOSPC)\nTo fix it: free some space at /home/u/.omp",
    );
  });

  test("stays one screen however much was tried", () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      what: `python ${index}`,
      problem: "x".repeat(1_000),
    }));
    const report = failureReport(new EnvironmentError("/e", many), on("linux"));
    expect(report.split("\n").length).toBe(14);
    expect(report).toContain("  … and 30 more\n");
  });
});
