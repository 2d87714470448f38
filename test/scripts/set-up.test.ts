/** The parts of the set-up that plain Node runs: what they take for done, and what they do when it is not. */

import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bunPackages, findBun } from "../../scripts/lib/bun-binary.mjs";
import { dependenciesAreCurrent, installDependencies } from "../../scripts/lib/dependencies.mjs";
import { whileLocked } from "../../scripts/lib/lock.mjs";
import { progressLine } from "../../scripts/lib/progress.mjs";
import {
  bundleIsFresh,
  dateOf,
  knownPythonState,
  type PythonState,
  RETRY_AFTER_MS,
} from "../../scripts/lib/ready.mjs";
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
  const current = (tests = true) => dependenciesAreCurrent(checkout, { tests });
  const env = (npm: string) => ({ HOME: checkout, PATH: `${dirname(npm)}:/usr/bin:/bin` });
  const npmThat = (script: string, version = "11.0.0") =>
    write(
      "bin/npm",
      `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; exit; fi\n${script}\n`,
      0o755,
    );
  const failure = (npm: string) =>
    installDependencies(checkout, { env: env(npm), tests: false, scratch: checkout }).then(
      () => expect.unreachable("it should fail"),
      (error: Error) => error.message,
    );

  test("are current when npm has installed what the lock asks for, optional ones aside", () => {
    write("package-lock.json", lock(wanted));
    expect(current()).toBe(false);
    write("node_modules/.package-lock.json", lock({ "node_modules/a": { version: "0.9.0" } }));
    expect(current()).toBe(false);
    write("node_modules/.package-lock.json", lock({ "node_modules/a": { version: "1.0.0" } }));
    expect(current()).toBe(true);
  });

  test("are no longer current when the lock changes or they are removed", () => {
    write("package-lock.json", lock(wanted));
    const installed = write(
      "node_modules/.package-lock.json",
      lock({ "node_modules/a": { version: "1.0.0" } }),
    );
    expect(current()).toBe(true);
    write("package-lock.json", lock({ ...wanted, "node_modules/c": { version: "1.0.0" } }));
    expect(current()).toBe(false);
    write("package-lock.json", lock(wanted));
    writeFileSync(installed, lock({}));
    // The stamp still matches; that npm says nothing is installed is npm's business. Without its file nothing counts.
    expect(current()).toBe(true);
    rmSync(installed);
    expect(current()).toBe(false);
  });

  test("without those for tests are enough for a start, not for tests; an interrupted npm leaves none that count", async () => {
    write("package-lock.json", lock(wanted));
    const done = "mkdir -p node_modules; echo '{\"packages\":{}}' > node_modules/.package-lock.json";
    const npm = npmThat(`echo "$@" > asked; ${done}`);
    await installDependencies(checkout, { env: env(npm), tests: false, scratch: checkout });
    expect([current(false), current()]).toEqual([true, false]);
    const asked = readFileSync(join(checkout, "asked"), "utf8");
    expect(asked).toBe(
      "ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund --workspaces=false " +
        `--cache ${checkout}/.npm --loglevel=warn\n`,
    );
    npmThat("exit 1");
    await failure(npm);
    expect(current(false)).toBe(false);
    npmThat(done);
    await installDependencies(checkout, { env: env(npm), tests: true, scratch: checkout });
    expect([current(false), current()]).toEqual([true, true]);
  });

  test.each([
    [
      "npm error code ECONNREFUSED\nnpm error FetchError: request to https://registry.test/a failed, reason: x",
      "npm packages: the registry registry.test cannot be reached; check the network and npm's proxy settings, then try again (ECONNREFUSED)",
    ],
    [
      "npm error code ENOSPC\nnpm error syscall write",
      "npm packages: the disk is full; free about 190 MB for {checkout}, then try again (ENOSPC)",
    ],
    [
      "npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write",
      "npm packages: the disk is full; free about 190 MB for {checkout}, then try again (ENOSPC)",
    ],
    [
      "npm error code EUSAGE\nnpm error in sync",
      "npm packages: 'npm ci' failed in {checkout}; see npm's messages, then try again (EUSAGE)\nnpm error code EUSAGE\nnpm error in sync",
    ],
  ])("that cannot be installed: %j", async (words, message) => {
    write("package-lock.json", lock(wanted));
    const npm = npmThat(`printf '${words.replaceAll("'", "'\\''")}' >&2; exit 1`);
    expect(await failure(npm)).toBe(message.replace("{checkout}", checkout));
  });

  test("that a full disk has cut short do not count, though npm ends as if all were well", async () => {
    write("package-lock.json", lock(wanted));
    const npm = npmThat(
      "mkdir -p node_modules; echo '{\"packages\":{}}' > node_modules/.package-lock.json\n" +
        "echo 'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write' >&2",
    );
    expect(await failure(npm)).toBe(
      `npm packages: the disk is full; free about 190 MB for ${checkout}, then try again (ENOSPC)`,
    );
    expect(current(false)).toBe(false);
  });

  test("npm 6 and no npm at all are told plainly", async () => {
    write("package-lock.json", lock(wanted));
    expect(await failure(npmThat("exit 0", "6.14.18"))).toBe(
      "npm 6.14.18 is too old for this package-lock.json; run 'npm install -g npm@10', then try again (OLD_NPM)",
    );
    const without = installDependencies(checkout, {
      env: { HOME: checkout, PATH: checkout },
      tests: false,
      scratch: checkout,
    });
    await expect(without).rejects.toThrow("npm is not on PATH; install Node 20 or newer with npm");
  });

  test("where the home cannot be written to, npm has a cache for this run", async () => {
    write("package-lock.json", lock(wanted));
    const npm = npmThat('echo "$@" > asked');
    const home = write("a-file", "");
    await installDependencies(checkout, {
      env: { ...env(npm), HOME: home },
      tests: false,
      scratch: checkout,
    });
    const asked = readFileSync(join(checkout, "asked"), "utf8");
    expect(asked).toContain(`--cache ${checkout}/npm-cache --loglevel=warn`);
  });
});

test("progress has sizes and times, fits into 80 columns, and says when nothing happens", () => {
  const state = { what: "npm packages", mb: 84, sizeMb: 190, seconds: 12.4, stalledMs: 9_999 };
  expect(progressLine(state)).toBe("omp set-up: npm packages: 84 of about 190 MB, 12 s");
  expect(progressLine({ ...state, mb: 100, seconds: 300, stalledMs: 100_000 })).toBe(
    "omp set-up: npm packages: 100 of about 190 MB, 300 s (nothing new for 100 s)",
  );
});

describe("Bun", () => {
  const linux = { platform: "linux", arch: "x64" };

  test("is the program in the platform's package; the placeholder of the package `bun` never counts", () => {
    write("node_modules/bun/bin/bun.exe", "echo not installed", 0o755);
    expect(findBun(checkout, linux)).toBeUndefined();
    const musl = write("node_modules/@oven/bun-linux-x64-musl/bin/bun", "", 0o755);
    expect(findBun(checkout, linux)).toBe(musl);
    const glibc = write("node_modules/@oven/bun-linux-x64/bin/bun", "", 0o755);
    const fitting = existsSync("/lib64/ld-linux-x86-64.so.2") || existsSync("/lib/ld-linux-aarch64.so.1");
    expect(findBun(checkout, linux)).toBe(fitting ? glibc : musl);
    expect(findBun(checkout, { platform: "darwin", arch: "arm64" })).toBeUndefined();
  });

  test("every platform's package is one that omp depends on", async () => {
    const { optionalDependencies } = await import("../../package.json");
    const named = ["linux", "darwin"].flatMap((platform) =>
      ["x64", "arm64"].flatMap((arch) => bunPackages({ platform, arch })),
    );
    expect(Object.keys(optionalDependencies).filter((name) => name.startsWith("@oven/"))).toEqual(
      named.sort(),
    );
    expect(findBun(realCheckout)).toBe(process.execPath);
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
