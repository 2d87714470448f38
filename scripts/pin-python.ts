/**
 * Remakes src/python/managed-requirements.txt, the exact packages of the managed environment, with the newest versions of the
 * index: `node scripts/with-bun.mjs scripts/pin-python.ts`. Needs uv, or a package index to get it from.
 *
 * One resolution for every system and every Python that omp supports; where versions must differ, markers say which is for whom.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { managedPackages } from "../src/python/managed-requirements.ts";
import { minimumPython } from "../src/python/preflight.ts";
import { ensureUv } from "./test-uv.ts";

const root = join(import.meta.dir, "..");
const target = join(root, "src", "python", "managed-requirements.txt");
const oldest = minimumPython.join(".");

const HEADER = `# The packages of the managed environment: exact versions, and a hash of every file that may be installed.
# Made by scripts/pin-python.ts, which also makes it again. Why, and what happens where an index lacks them: docs/adr/0013.
`;

/** omp runs on no other. uv repeats it in every line, where it says nothing. */
const SYSTEMS = "sys_platform != 'emscripten' and sys_platform != 'win32'";

/** The last pip for the oldest Python serves all: one wheel is enough to begin with (pip-wheel.ts). */
const project = `
[project]
name = "managed-environment"
version = "0"
requires-python = ">=${oldest}"
dependencies = ${JSON.stringify(["pip<26.1", ...managedPackages])}
[tool.uv]
environments = ["${SYSTEMS}"]
`;

const directory = mkdtempSync(join(tmpdir(), "omp-pin-"));
try {
  writeFileSync(join(directory, "pyproject.toml"), project);
  const options = ["--universal", "--generate-hashes", "--no-header", "--no-annotate", "--upgrade"];
  const argv = ["pip", "compile", ...options, "--python-version", oldest, "--output-file", "pins.txt"];
  const uv = await ensureUv(root, {
    env: process.env,
    signal: new AbortController().signal,
    onProgress: console.log,
  });
  if (uv === undefined) throw new Error("there is no uv");
  const { success } = Bun.spawnSync([uv, ...argv, "pyproject.toml"], {
    cwd: directory,
    env: { ...process.env, UV_PYTHON_DOWNLOADS: "never" },
    stdout: "ignore",
    stderr: "inherit",
  });
  if (!success) throw new Error("uv could not resolve the packages");
  const pins = readFileSync(join(directory, "pins.txt"), "utf8");
  writeFileSync(target, HEADER + pins.replaceAll(` ; ${SYSTEMS} `, " ").replaceAll(` and ${SYSTEMS}`, ""));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
