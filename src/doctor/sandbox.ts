/** What `omp doctor` says about the sandbox: whether one can be made here, tried with a program that wants to leave it. */

import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OmpPaths, ProjectPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { SandboxError } from "../sandbox/errors.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import type { Check } from "./check.ts";

export interface SandboxCheckParts {
  readonly env: Invocation["env"];
  readonly settings: Pick<Settings, "sandbox" | "sandboxAllow">;
  readonly paths: OmpPaths;
  readonly project: Pick<ProjectPaths, "root">;
}

export async function checkSandbox({ env, settings, paths, project }: SandboxCheckParts): Promise<Check> {
  const mode = settings.sandbox;
  const name = "sandbox";
  try {
    const sandbox = await Sandbox.open({
      mode: mode === "off" ? "read-only" : mode,
      ...{ projectRoot: project.root, home: paths.userHome, ompHome: paths.home },
      ...{ allowedPaths: [], allowedHosts: [], readable: [] },
      temporaryBase: tmpdir(),
      searchPath: env["PATH"],
    });
    try {
      const problem = tryToLeave(sandbox, paths.userHome);
      const value =
        mode === "off" ? `off; it works here (${sandbox.backendName})` : `${mode} (${sandbox.backendName})`;
      if (problem === undefined) return { name, status: "ok", value, details: { mode, works: true } };
      return { name, status: "fail", value: problem, details: { mode, works: false } };
    } finally {
      sandbox.close();
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const details = { mode, works: false, code: error.code };
    if (mode === "off") return { name, status: "ok", value: `off; not available: ${error.issue}`, details };
    return { name, status: "fail", value: error.issue, fix: "omp config set sandbox off", details };
  }
}

/** Undefined when the program could not, and could do what it may. */
function tryToLeave(sandbox: Sandbox, home: string): string | undefined {
  const outside = join(home, `.omp-doctor-${process.pid}`);
  const script = 'echo >"$1/inside" && ! (echo >"$2")';
  const argv = ["/bin/sh", "-c", script, "sh", sandbox.temporaryDirectory, outside];
  const trial = Bun.spawnSync(sandbox.wrap(argv), { cwd: "/", env: {}, stderr: "ignore", stdout: "ignore" });
  if (existsSync(outside)) {
    rmSync(outside, { force: true });
    return "a program in the sandbox could write in your home";
  }
  return trial.exitCode === 0 ? undefined : "a program in the sandbox could not write where it may";
}
