/** `npm pack`: what is in the package, and that it works as installed, with nothing built and no install script run. */

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, temporaryPlace } from "../support/home.ts";
import { slowFile } from "../support/limits.ts";
import { checkout, userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { pathWith } from "../support/wheel.ts";

slowFile(60, "builds the package");

const node = Bun.which("node") ?? "node";
const npm = Bun.which("npm") ?? "npm";

function run(argv: string[], options: { cwd: string; env: Record<string, string | undefined> }) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(argv, { ...options, stdin: "ignore" });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

describeWithPython(testPython, "the package", () => {
  const place = temporaryPlace({ lasts: "file" });
  const prefix = temporaryDirectory({ lasts: "file" });
  const installed = join(prefix, "lib/node_modules/ompy");
  // A user's computer: Node, Python and what every system has.
  const path = pathWith({ node, python: testPython.path, python3: testPython.path });
  const env = userEnvironment(place, { PATH: `${path}:/usr/bin:/bin` });

  test("has the launcher, the bundle and the documentation, nothing else", () => {
    const packing = run([npm, "pack", "--json", "--pack-destination", prefix], {
      cwd: checkout,
      env: { ...env, PATH: process.env["PATH"], npm_config_update_notifier: "false" },
    });
    expect(packing.exitCode).toBe(0);
    const answer: Packed[] | Record<string, Packed> = JSON.parse(packing.stdout);
    const [{ filename, files }] = Object.values(answer) as [Packed];
    const names = new Set(files.map((file) => file.path.replace(/^(dist\/package|docs)\/.*/, "$1/")));
    expect([...names].sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "bin/omp",
      "dist/package/",
      "docs/",
      "package.json",
    ]);
    const pip = files.filter((file) => file.path.endsWith(".whl")).map((file) => file.path);
    expect(pip).toEqual([expect.stringMatching(/^dist\/package\/pip-[\d.]+-py3-none-any-\w+\.whl$/)]);
    mkdirSync(installed, { recursive: true });
    const unpacking = ["tar", "-xzf", join(prefix, filename), "-C", installed, "--strip-components=1"];
    expect(run(unpacking, { cwd: prefix, env }).exitCode).toBe(0);
    // What npm would install: the platform's Bun and ripgrep.
    mkdirSync(join(installed, "node_modules"));
    for (const scope of ["@oven", "@vscode"])
      symlinkSync(join(checkout, "node_modules", scope), join(installed, "node_modules", scope));
    mkdirSync(join(prefix, "bin"));
    for (const name of ["omp", "ompy"])
      symlinkSync("../lib/node_modules/ompy/bin/omp", join(prefix, "bin", name));
  });

  test("depends on nothing but the platform's programs, which have no install scripts", async () => {
    const manifest = await Bun.file(join(installed, "package.json")).json();
    expect([
      manifest.name,
      manifest.dependencies,
      manifest.scripts.install,
      manifest.scripts.postinstall,
    ]).toEqual(["ompy", undefined, undefined, undefined]);
    expect(Object.keys(manifest.bin)).toEqual(["omp", "ompy"]);
    const others = Object.keys(manifest.optionalDependencies).filter(
      (name) => !/^@(?:oven\/bun|vscode\/ripgrep)-(?:linux|darwin)-/.test(name),
    );
    expect(others).toEqual([]);
    const { packages } = await Bun.file(join(checkout, "package-lock.json")).json();
    const scripted = Object.keys(manifest.optionalDependencies).filter(
      (name) => packages[`node_modules/${name}`].hasInstallScript,
    );
    expect(scripted).toEqual([]);
  });

  test("runs: its version, its tools, Python, and nothing is written beside it", async () => {
    const before = readdirSync(installed, { recursive: true });
    const { version } = await import("../../package.json");
    const options = { cwd: place.project, env };
    expect(run([join(prefix, "bin/ompy"), "--version"], options)).toEqual({
      exitCode: 0,
      stdout: `${version}\n`,
      stderr: "",
    });
    await Bun.write(join(place.project, "a.txt"), "hello\n");
    const omp = (tool: string, input: unknown) =>
      run([join(prefix, "bin/omp"), "tool", tool, JSON.stringify(input)], options).stdout;
    expect(omp("grep", { pattern: "hel" })).toBe("a.txt\n1:hello\n");
    // The grammar that commands are read with is in the package, too.
    expect(omp("bash", { command: "echo $((6 * 7))" })).toBe("42\n");
    expect(omp("python", { cells: [{ code: "6 * 7" }] })).toContain("42");
    expect(readdirSync(installed, { recursive: true })).toEqual(before);
  });
});
