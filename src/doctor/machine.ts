/** What `omp doctor` says about the programs and directories that tools depend on: bash, ripgrep, and where temporary files go. */

import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OmpPaths } from "../config/paths.ts";
import { formatSize } from "../format/numbers.ts";
import { OmpError, systemCode } from "../protocol/error.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { childEnvironment } from "../python/environment.ts";
import { directoryProblem } from "../python/executable.ts";
import { runCommand } from "../python/run-command.ts";
import { runtimeBases } from "../python/runtime-bases.ts";
import { findBash } from "../shell/shell-setup.ts";
import { findRipgrep } from "../tools/find-ripgrep.ts";
import type { Check } from "./check.ts";

const TIMEOUT_MS = 10_000;
/** Displays, long output and packages that are being installed pass through it. */
const MIN_FREE_BYTES = 200 * 1024 ** 2;

export async function checkMachine({ env }: Pick<Invocation, "env">, { home }: OmpPaths): Promise<Check[]> {
  const child = childEnvironment({ env, pass: [] });
  const rg = findRipgrep({ searchPath: env["PATH"], cache: join(home, "agent", "cache") });
  return [
    await checkBash(child),
    await checkRipgrep(rg, child),
    await checkTemporary(env["TMPDIR"] || tmpdir(), child),
    checkRuntimeDirectory(env),
  ];
}

async function checkBash(env: Record<string, string>): Promise<Check> {
  const name = "bash";
  try {
    const path = findBash(env);
    const asked = await ask([path, "-c", "echo $BASH_VERSION"], env);
    const fix = "fix PATH, or install bash";
    if (asked.problem !== undefined) return { name, status: "warn", value: `${path} ${asked.problem}`, fix };
    const version = asked.stdout.trim();
    return { name, status: "ok", value: `${version} (${path})`, details: { path, version } };
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    return { name, status: "warn", value: "not found; the bash tool will not work", fix: "install bash" };
  }
}

async function checkRipgrep(path: string | undefined, env: Record<string, string>): Promise<Check> {
  const name = "ripgrep";
  const fix = "install ripgrep";
  const lost = "grep, find and @ will not work";
  if (path === undefined) return { name, status: "warn", value: `not found: ${lost}`, fix };
  const { stdout, problem } = await ask([path, "--version"], env);
  if (problem !== undefined) return { name, status: "warn", value: `${path} ${problem}: ${lost}`, fix };
  const version = /\d[\w.]*/.exec(stdout)?.[0] ?? "unknown";
  return { name, status: "ok", value: `${version} (${path})`, details: { path, version } };
}

async function checkTemporary(directory: string, env: Record<string, string>): Promise<Check> {
  const name = "temporary files";
  const warn = (value: string, fix: string): Check => ({
    name,
    status: "warn",
    value,
    fix,
    details: { path: directory },
  });
  const other = "set TMPDIR to a directory of your own";
  let mine: string;
  try {
    mine = mkdtempSync(join(directory, "omp-doctor-"));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return warn(`${directory} cannot be written (${code})`, other);
  }
  try {
    const { bavail, bsize } = statfsSync(directory);
    const freeBytes = bavail * bsize;
    const value = `${directory}, ${formatSize(freeBytes)} free`;
    if (freeBytes < MIN_FREE_BYTES) return warn(value, `free some space at ${directory}, or ${other}`);
    const program = join(mine, "program");
    writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o700 });
    const { problem } = await ask([program], env);
    // Packages that bring libraries, and pip when it builds one, run files from there.
    if (problem !== undefined) return warn(`${value}, but programs in it cannot be run (noexec)`, other);
    return { name, status: "ok", value, details: { path: directory, freeBytes } };
  } finally {
    rmSync(mine, { recursive: true, force: true });
  }
}

/** omp puts sockets there. Without a usable one they go to the temporary directory. */
function checkRuntimeDirectory(env: Invocation["env"]): Check {
  const name = "XDG_RUNTIME_DIR";
  const [first = "", ...others] = runtimeBases(env);
  const directory = env[name];
  const used = others.at(0) ?? first;
  if (!directory) return { name, status: "ok", value: `not set: sockets are in ${first}` };
  const problem = directoryProblem(directory) ?? accessProblem(directory);
  if (problem === undefined) return { name, status: "ok", value: directory, details: { path: directory } };
  const value = `${directory} ${problem}: sockets are in ${used}`;
  return {
    name,
    status: "warn",
    value,
    fix: `unset ${name}, or make the directory`,
    details: { path: directory },
  };
}

function accessProblem(directory: string): string | undefined {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return "cannot be written";
  }
}

async function ask(argv: readonly string[], env: Record<string, string>) {
  const { signal } = new AbortController();
  return await runCommand({ argv, env, cwd: "/", timeoutMs: TIMEOUT_MS, signal });
}
