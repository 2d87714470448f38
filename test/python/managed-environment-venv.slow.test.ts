/**
 * Environments from a Python as Debian and Ubuntu ship it: no pip, no ensurepip, sometimes no venv. Real venvs and a real pip, from a
 * package index on the loopback interface.
 */

import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureEnvironment, managedPlan, readEnvironment } from "../../src/python/managed-environment.ts";
import { EnvironmentError } from "../../src/python/managed-environment-errors.ts";
import { temporaryDirectory } from "../support/home.ts";
import { slowFile } from "../support/limits.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { pipIndex, tinyIndex } from "../support/wheel.ts";

slowFile(60, "makes virtual environments with pip");

describeWithPython(testPython, "a Python without ensurepip", () => {
  const basePython = readEnvironment(testPython.venv)?.executable ?? "";
  const output = (argv: string[]) => Bun.spawnSync(argv).stdout.toString().trim();
  const pips = pipIndex();
  const pip = readdirSync(pips).find((name) => name.startsWith("pip-")) ?? "";
  const pipVersion = pip.split("-")[1] ?? "";
  const files = tinyIndex("1.0", "2.0");
  const bytesOf = (name: string) => readFileSync(join(name === pip ? pips : files, name));
  const hashOf = (name: string) => createHash("sha256").update(bytesOf(name)).digest("hex");

  /** What the index offers, and in which form; changed by tests. */
  let offered = [pip, "omp_tiny-1.0-py3-none-any.whl"];
  let form: "html" | "json" = "html";
  const asked: string[] = [];
  const index = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      asked.push(`${pathname} ${request.headers.get("Authorization") ?? ""}`.trim());
      const name = pathname.split("/").at(-1) ?? "";
      if (pathname.startsWith("/files/")) return new Response(bytesOf(name));
      const project = pathname.split("/").at(-2)?.replaceAll("-", "_") ?? "";
      const names = offered.filter((file) => file.startsWith(`${project}-`));
      if (form === "json" && request.headers.get("Accept")?.includes("json")) {
        const list = names.map((filename) => ({ filename, url: `../../files/${filename}`, hashes: {} }));
        const type = "application/vnd.pypi.simple.v1+json";
        const meta = { meta: { "api-version": "1.0" }, name: project, files: list };
        return new Response(JSON.stringify(meta), { headers: { "Content-Type": type } });
      }
      const links = names.map((file) => `<a href="../../files/${file}">${file}</a>`);
      return new Response(`<html><body>${links.join("\n")}</body></html>`, {
        headers: { "Content-Type": "text/html" },
      });
    },
  });
  afterAll(() => index.stop(true));

  /** `python3` as the distribution has it. */
  function distributionPython({ hasVenv }: { hasVenv: boolean }): string {
    const directory = temporaryDirectory();
    const bare = hasVenv ? '"-m venv --without-pip "*) ;;' : "";
    writeFileSync(
      join(directory, "python3"),
      `#!/bin/sh
case "$*" in
  ${bare}
  "-m venv "*) echo "ensurepip is not available."; exit 1 ;;
  "-m pip "*) echo "$0: No module named pip" >&2; exit 1 ;;
esac
exec '${basePython}' "$@"
`,
      { mode: 0o755 },
    );
    return directory;
  }

  const pin = (name: string, version: string, hash: string) =>
    `${name}==${version} \\\n    --hash=sha256:${hash}\n`;
  const tinyPin = pin("omp-tiny", "1.0", hashOf("omp_tiny-1.0-py3-none-any.whl"));

  interface Machine {
    readonly pinned: string;
    readonly hasVenv?: boolean;
    readonly login?: string;
    readonly wheels?: readonly string[];
    readonly embeddedPip?: string;
    readonly hasIndex?: boolean;
  }

  async function build({ hasVenv = true, hasIndex = true, login = "", ...options }: Machine) {
    const target = join(temporaryDirectory(), "env");
    const lines: string[] = [];
    asked.length = 0;
    const PATH = distributionPython({ hasVenv });
    const plan = managedPlan({
      target,
      requirements: { pinned: options.pinned, otherwise: ["omp-tiny"] },
      imports: ["omp_tiny"],
      label: "omp-tiny",
      elsewhere: [],
      wheels: options.wheels ?? [],
      embeddedPip: options.embeddedPip,
      borrow: false,
      adopt: false,
      env: {
        PATH,
        HOME: temporaryDirectory(),
        PIP_CONFIG_FILE: "/dev/null",
        ...(hasIndex ? { PIP_INDEX_URL: `http://${login}127.0.0.1:${index.port}/simple` } : {}),
      },
      signal: new AbortController().signal,
      onProgress: (line) => lines.push(line.replace(`${PATH}/`, "")),
    });
    const made = await ensureEnvironment(plan).catch((error: unknown) => {
      if (error instanceof EnvironmentError) return error;
      throw error;
    });
    const tried =
      made instanceof EnvironmentError
        ? made.tried.map(({ what, ...attempt }) => ({ what: what.replace(`${PATH}/`, ""), ...attempt }))
        : undefined;
    const record = made instanceof EnvironmentError ? undefined : made.record;
    return { target, lines, tried, record };
  }

  test("gets pip from the index that pip is configured for, checked by its hash, and installs what is pinned", async () => {
    const pinned = pin("pip", pipVersion, hashOf(pip)) + tinyPin;
    const { target, lines, record } = await build({ pinned });
    expect([record?.way, record?.isPinned, record?.packages]).toEqual([
      "pip",
      true,
      { "omp-tiny": "1.0", pip: pipVersion },
    ]);
    expect(lines.map((line) => line.replace(/\(.*\)/, "(…)"))).toEqual([
      "making a Python environment with python3 (…)",
      `downloading ${pip}`,
      `downloaded ${pip} (…)`,
      "installing omp-tiny",
    ]);
    expect(output([join(target, "bin/omp-tiny")])).toBe("1.0");
    expect(output([join(target, "bin/pip"), "--version"])).toContain(target);
    expect(existsSync(join(target, "omp-downloads"))).toBe(false);
  });

  test("needs no venv module either; a password for the index is sent to the index", async () => {
    form = "json";
    const pinned = pin("pip", pipVersion, hashOf(pip)) + tinyPin;
    const { target, record } = await build({ pinned, hasVenv: false, login: "u:p%40ss@" });
    form = "html";
    const basic = `Basic ${btoa("u:p@ss")}`;
    expect(asked.slice(0, 2)).toEqual([`/simple/pip/ ${basic}`, `/files/${pip} ${basic}`]);
    expect([record?.isPinned, output([join(target, "bin/omp-tiny")])]).toEqual([true, "1.0"]);
    const prefixes = "import sys; print(sys.prefix, sys.base_prefix != sys.prefix)";
    expect(output([join(target, "bin/python3"), "-c", prefixes])).toBe(`${target} True`);
    expect(output([join(target, "bin/pip"), "--version"])).toContain(target);
  });

  test("never runs a pip with another hash, and says what would help", async () => {
    const { tried, target } = await build({ pinned: pin("pip", pipVersion, "0".repeat(64)) + tinyPin });
    expect(tried).toEqual([
      { what: "python3 -m venv", problem: "ensurepip is not available." },
      {
        what: `pip from http://127.0.0.1:${index.port}/simple`,
        problem: `sent a ${pip} with another hash`,
        lacks: "pip",
      },
    ]);
    expect(existsSync(target)).toBe(false);
  });

  test("a chosen index that lacks the pinned versions is asked for others, which is said and recorded", async () => {
    offered = [pip, "omp_tiny-2.0-py3-none-any.whl"];
    const { lines, record } = await build({ pinned: pin("pip", "0.1", "0".repeat(64)) + tinyPin });
    offered = [pip, "omp_tiny-1.0-py3-none-any.whl"];
    expect([record?.isPinned, record?.packages]).toEqual([false, { "omp-tiny": "2.0", pip: pipVersion }]);
    expect(lines.at(-1)).toBe(
      "your package index lacks the pinned versions; installing other versions, unpinned",
    );
  });

  test("pip's wheel of this machine does as well; a package with another hash is not installed, and no other version instead", async () => {
    const pinned = pin("pip", pipVersion, hashOf(pip)) + pin("omp-tiny", "1.0", "0".repeat(64));
    const { tried, lines } = await build({ pinned, wheels: [pips] });
    expect(tried).toEqual([
      {
        what: "python3 -m pip install",
        problem: expect.stringContaining("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE"),
      },
    ]);
    expect(lines.slice(1)).toEqual(["installing omp-tiny"]);
  });

  test("a build of omp brings its own pip, which needs no index to come from", async () => {
    const pinned = pin("pip", pipVersion, hashOf(pip)) + tinyPin;
    const embeddedPip = join(temporaryDirectory(), pip.replace(".whl", "-a1b2c3d4.whl"));
    copyFileSync(join(pips, pip), embeddedPip);
    const { lines, record } = await build({ pinned, embeddedPip });
    expect(lines.slice(1)).toEqual(["installing omp-tiny"]);
    expect([record?.isPinned, record?.packages]).toEqual([true, { "omp-tiny": "1.0", pip: pipVersion }]);
  });

  test("without a wheel and an index set for pip, pip is what is missing", async () => {
    const { tried } = await build({ pinned: tinyPin, hasIndex: false });
    expect(tried).toEqual([
      { what: "python3 -m venv", problem: "ensurepip is not available." },
      { what: "pip", problem: "no wheel of it, and no package index set", lacks: "pip" },
    ]);
  });
});
