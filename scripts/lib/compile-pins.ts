/** Exact versions of packages and of all that they need, for every system and every Python that omp supports. Needs uv. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { minimumPython } from "../../src/python/preflight.ts";
import { ensureUv } from "../test-uv.ts";

/** omp runs on no other. uv repeats it in every line, where it says nothing. */
const SYSTEMS = "sys_platform != 'emscripten' and sys_platform != 'win32'";

export interface PinOptions {
  readonly packages: readonly string[];
  /** Pins whose versions are kept where they fit. */
  readonly before: string;
  /** More options of `uv pip compile`. */
  readonly options: readonly string[];
}

export async function compilePins({ packages, before, options }: PinOptions): Promise<string> {
  const oldest = minimumPython.join(".");
  const uv = await ensureUv(join(import.meta.dir, "..", ".."), {
    env: process.env,
    signal: new AbortController().signal,
    onProgress: console.log,
  });
  if (uv === undefined) throw new Error("there is no uv");
  const directory = mkdtempSync(join(tmpdir(), "omp-pin-"));
  try {
    const project = `
[project]
name = "pins"
version = "0"
requires-python = ">=${oldest}"
dependencies = ${JSON.stringify(packages)}
[tool.uv]
environments = ["${SYSTEMS}"]
`;
    writeFileSync(join(directory, "pyproject.toml"), project);
    const pins = join(directory, "pins.txt");
    writeFileSync(pins, before);
    const shape = ["--universal", "--no-header", "--no-annotate", "--python-version", oldest];
    const argv = [uv, "pip", "compile", ...shape, ...options, "--output-file", pins, "pyproject.toml"];
    const { success } = Bun.spawnSync(argv, {
      cwd: directory,
      env: { ...process.env, UV_PYTHON_DOWNLOADS: "never" },
      stdout: "ignore",
      stderr: "inherit",
    });
    if (!success) throw new Error("uv could not resolve the packages");
    return readFileSync(pins, "utf8")
      .replaceAll(new RegExp(` ; ${SYSTEMS}(?= |$)`, "gm"), "")
      .replaceAll(` and ${SYSTEMS}`, "");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
