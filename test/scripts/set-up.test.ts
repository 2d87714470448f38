/** The parts of the set-up that plain Node runs: what they take for done, and what they do when it is not. */

import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bunIsThere, installBun } from "../../scripts/lib/bun-binary.mjs";
import { dependenciesAreCurrent, installDependencies } from "../../scripts/lib/dependencies.mjs";
import { whileLocked } from "../../scripts/lib/lock.mjs";
import {
  bundleIsFresh,
  dateOf,
  knownPythonState,
  type PythonState,
  RETRY_AFTER_MS,
} from "../../scripts/lib/ready.mjs";
import { tallyTests } from "../../scripts/lib/tally.mjs";
import { temporaryDirectory } from "../support/home.ts";
import { checkout as realCheckout } from "../support/omp.ts";

let checkout: string;

beforeEach(() => {
  checkout = temporaryDirectory();
});

function write(path: string, text: string, mode = 0o644): string {
  const file = join(checkout, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

describe("npm packages", () => {
  const lock = (packages: Record<string, unknown>) => JSON.stringify({ packages });
  const wanted = {
    "": {},
    "node_modules/a": { version: "1.0.0" },
    "node_modules/b": { version: "2.0.0", optional: true },
  };

  test("are current when npm has installed what the lock asks for, optional ones aside", () => {
    write("package-lock.json", lock(wanted));
    expect(dependenciesAreCurrent(checkout)).toBe(false);
    write("node_modules/.package-lock.json", lock({ "node_modules/a": { version: "0.9.0" } }));
    expect(dependenciesAreCurrent(checkout)).toBe(false);
    write("node_modules/.package-lock.json", lock({ "node_modules/a": { version: "1.0.0" } }));
    expect(dependenciesAreCurrent(checkout)).toBe(true);
  });

  test("are no longer current when the lock changes or they are removed", () => {
    write("package-lock.json", lock(wanted));
    const installed = write(
      "node_modules/.package-lock.json",
      lock({ "node_modules/a": { version: "1.0.0" } }),
    );
    expect(dependenciesAreCurrent(checkout)).toBe(true);
    write("package-lock.json", lock({ ...wanted, "node_modules/c": { version: "1.0.0" } }));
    expect(dependenciesAreCurrent(checkout)).toBe(false);
    write("package-lock.json", lock(wanted));
    writeFileSync(installed, lock({}));
    // The stamp still matches; that npm says nothing is installed is npm's business. Without its file nothing counts.
    expect(dependenciesAreCurrent(checkout)).toBe(true);
    Bun.spawnSync(["rm", installed]);
    expect(dependenciesAreCurrent(checkout)).toBe(false);
  });

  test("that cannot be installed: npm's own words and the command to run", () => {
    write("package-lock.json", lock(wanted));
    const npm = dirname(write("bin/npm", "#!/bin/sh\necho 'npm error network is down' >&2\nexit 1\n", 0o755));
    expect(() => installDependencies(checkout, { PATH: `${npm}:/usr/bin:/bin` })).toThrow(
      `npm ci failed in ${checkout}:\nnpm error network is down\nCheck the network and the disk, then run: npm ci && npm start`,
    );
    expect(existsSync(join(checkout, "node_modules"))).toBe(false);
  });
});

describe("Bun", () => {
  test("a stub does not count, and the platform's binary is put in its place", () => {
    const bun = write("node_modules/bun/bin/bun.exe", "echo not installed", 0o755);
    expect(bunIsThere(checkout)).toBe(false);
    write("node_modules/@oven/bun-broken/bin/bun", "#!/bin/sh\nexit 1\n");
    const fitting = write("node_modules/@oven/bun-fitting/bin/bun", "");
    writeFileSync(fitting, readFileSync(join(realCheckout, "node_modules/bun/bin/bun.exe")));
    installBun(checkout);
    expect([bunIsThere(checkout), statSync(bun).ino]).toEqual([true, statSync(fitting).ino]);
  });

  test("no binary at all: says which were there", () => {
    write("node_modules/bun/bin/bun.exe", "echo not installed", 0o755);
    write("node_modules/bun/install.js", "process.exitCode = 1;");
    write("node_modules/@oven/bun-broken/bin/bun", "#!/bin/sh\nexit 1\n");
    expect(() => installBun(checkout)).toThrow(
      "among the npm packages (bun-broken)\nDelete node_modules and run: npm start",
    );
  });
});

test("the bundle is fresh while no source is newer", () => {
  for (const file of ["package.json", "package-lock.json", "src/a/b.ts", "prompts/c.md"]) write(file, "");
  expect(bundleIsFresh(checkout)).toBe(false);
  const bundle = write("dist/bundle/main.js", "");
  const future = Date.now() / 1000 + 100;
  utimesSync(bundle, future, future);
  expect(bundleIsFresh(checkout)).toBe(true);
  utimesSync(join(checkout, "src/a/b.ts"), future + 1, future + 1);
  expect(bundleIsFresh(checkout)).toBe(false);
});

describe("what is known of Python", () => {
  const now = 1_700_000_000_000;

  function remembered(changes: Partial<PythonState> = {}): PythonState {
    const python = write("python", "");
    const files = { [python]: dateOf(python), [join(checkout, "absent")]: null };
    const env = { PATH: "/bin", VIRTUAL_ENV: null };
    const state: PythonState = { status: "ready", advice: "", at: now, cwd: "/here", env, files, ...changes };
    write("node_modules/.omp-setup/python.json", JSON.stringify(state));
    return state;
  }
  const place = { env: { PATH: "/bin" }, cwd: "/here", now };

  test("holds while variables, directory and files are the same", () => {
    expect(knownPythonState(checkout, place)).toBeUndefined();
    const state = remembered();
    expect(knownPythonState(checkout, place)).toEqual(state);
    expect(knownPythonState(checkout, { ...place, cwd: "/there" })).toBeUndefined();
    expect(knownPythonState(checkout, { ...place, env: { PATH: "/usr/bin" } })).toBeUndefined();
    expect(
      knownPythonState(checkout, { ...place, env: { PATH: "/bin", VIRTUAL_ENV: "/v" } }),
    ).toBeUndefined();
    write("absent", "");
    expect(knownPythonState(checkout, place)).toBeUndefined();
  });

  test("a failure is remembered for a while only", () => {
    const state = remembered({ status: "failed", advice: "run: omp setup" });
    expect(knownPythonState(checkout, { ...place, now: now + RETRY_AFTER_MS })).toEqual(state);
    expect(knownPythonState(checkout, { ...place, now: now + RETRY_AFTER_MS + 1 })).toBeUndefined();
  });

  test("a file that is not whole is as none", () => {
    write("node_modules/.omp-setup/python.json", '{"status":');
    expect(knownPythonState(checkout, place)).toBeUndefined();
  });
});

describe("the lock", () => {
  test("work never overlaps, and the lock is gone afterwards", async () => {
    const directory = join(checkout, "lock");
    let running = 0;
    const overlaps: number[] = [];
    const work = async () => {
      running += 1;
      overlaps.push(running);
      await Bun.sleep(1);
      running -= 1;
    };
    await Promise.all([1, 2, 3].map(() => whileLocked(directory, work)));
    expect(overlaps).toEqual([1, 1, 1]);
    expect(existsSync(directory)).toBe(false);
  });

  test("a dead owner's lock does not count, and failing work gives it back", async () => {
    const dead = Bun.spawn(["true"]);
    await dead.exited;
    write("lock/pid", String(dead.pid));
    const failing = whileLocked(join(checkout, "lock"), () => Promise.reject(new Error("as it should")));
    await expect(failing).rejects.toThrow("as it should");
    expect(existsSync(join(checkout, "lock"))).toBe(false);
  });
});

describe("the count of tests", () => {
  const ended = { exitCode: 0, signal: null };
  const junit = (attributes: string, end = "</testsuites>") =>
    write("junit.xml", `<?xml version="1.0"?>\n<testsuites name="bun test" ${attributes}>\n${end}\n`);

  test("comes from the runner's report", () => {
    const file = junit('tests="10" assertions="20" failures="2" skipped="1" time="0.5"');
    expect(tallyTests(file, { exitCode: 1, signal: null })).toEqual({
      passed: 7,
      failed: 2,
      skipped: 1,
      problems: [],
    });
  });

  test("a runner that crashed is never green", () => {
    const all = 'tests="5" failures="0" skipped="0"';
    expect(tallyTests(join(checkout, "absent.xml"), ended)).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      problems: ["the test runner left no results"],
    });
    expect(tallyTests(junit(all, ""), ended).problems).toEqual(["the test runner left no results"]);
    expect(tallyTests(junit('tests="0" failures="0" skipped="0"'), ended).problems).toEqual(["no tests ran"]);
    expect(tallyTests(junit(all), { exitCode: 1, signal: null })).toEqual({
      passed: 5,
      failed: 1,
      skipped: 0,
      problems: ["the test runner ended with exit code 1 and no failed test"],
    });
    expect(tallyTests(junit(all), { exitCode: 139, signal: "SIGSEGV" }).failed).toBe(1);
  });
});
