/** What the steps of making an environment share: the work itself, how commands are run, and how failures are kept. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "./base-pythons.ts";
import { childEnvironment } from "./environment.ts";
import type { EnvironmentPlan } from "./managed-environment.ts";
import { type CommandResult, lastLine, runCommand } from "./run-command.ts";

export const MAKE_TIMEOUT_MS = 120_000;

export interface Work {
  readonly plan: EnvironmentPlan;
  /** Where the environment is made; not its final path. */
  readonly directory: string;
  readonly cwd: string;
  readonly tried: Attempt[];
}

export function recordFailure(work: Work, what: string, result: CommandResult): undefined {
  work.tried.push({ what, problem: explain(result) });
  rmSync(work.directory, { recursive: true, force: true });
}

/** pip and uv say what went wrong in a line that starts with "error"; the lines after it are advice. */
const ERROR_LINE = /^(error|fatal|\S*Error\b|× )|: command not found$/i;

export function explain({ outcome, stdout, stderr, problem = "" }: CommandResult): string {
  const printed = `${stdout}\n${stderr}`.replaceAll(/^\[notice\].*$/gm, "");
  return outcome?.timedOut ? problem : (lastLine(printed, ERROR_LINE) ?? problem);
}

/** Throws the signal's reason when it was stopped. */
export async function run(
  { plan, cwd }: Pick<Work, "plan" | "cwd">,
  argv: readonly string[],
  timeoutMs: number,
): Promise<CommandResult> {
  const { signal } = plan;
  const result = await runCommand({ argv, cwd, env: cleanEnvironment(plan), signal, timeoutMs });
  signal.throwIfAborted();
  return result;
}

export function pythonOf(directory: string): string {
  return join(directory, "bin", "python");
}

/** These would make Python, pip or uv work in another environment. */
const leftOut: ReadonlySet<string> = new Set([
  ...["PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV", "CONDA_PREFIX"],
  ...["PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "UV_PYTHON", "UV_SYSTEM_PYTHON"],
]);

/** The user's environment: proxies, certificates, package index. */
export function cleanEnvironment({ env }: EnvironmentPlan): Record<string, string> {
  // Packages that are built run code of their own: no keys for them, only what the installers are configured with.
  const passed = childEnvironment({ env, pass: ["PIP_*", "UV_*"] });
  const kept = Object.entries(passed).filter(([name]) => !leftOut.has(name));
  return {
    // By default pip tries for minutes to reach an index.
    PIP_RETRIES: "2",
    PIP_DEFAULT_TIMEOUT: "30",
    ...Object.fromEntries(kept),
    PIP_USER: "0",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    PIP_NO_INPUT: "1",
  };
}
