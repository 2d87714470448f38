/** The interpreter that kernels on this machine run in: the one that is found, or the kernelspec's. Starts nothing but what the search does. */

import type { InterpreterSearch } from "../../python/interpreter.ts";
import { isLaunch, type KernelSpecLaunch, kernelSpecLaunch } from "../../python/kernel-specs.ts";
import { failedPreflight, type Preflight } from "../../python/preflight.ts";
import { KernelError } from "../errors.ts";
import type { SessionHostOptions } from "./session-host.ts";

export type LocalLaunch = Pick<KernelSpecLaunch, "argv" | "env"> & { readonly search: InterpreterSearch };

type Failure = Extract<Preflight, { ok: false }>;

export async function localLaunch(
  options: Pick<SessionHostOptions, "findInterpreter" | "env" | "cwd" | "paths">,
  kernelSpec: string | undefined,
): Promise<LocalLaunch | { readonly problem: Failure }> {
  const search = await options.findInterpreter();
  if (kernelSpec === undefined) return { search, argv: undefined, env: {} };
  const { env, cwd, paths } = options;
  const launch = kernelSpecLaunch(kernelSpec, { env, cwd, home: paths.userHome, interpreter: search.found });
  if (isLaunch(launch)) return { ...launch, search: { found: launch.interpreter, tried: search.tried } };
  const advice = "fix or remove the setting python.kernelSpec";
  return { problem: failedPreflight(launch.code, launch.issue, { advice }) };
}

/** For a kernel that cannot be started here. */
export function unsupportedError(check: Preflight): KernelError {
  const { issue, fix, code } = check.ok
    ? { issue: "no Python found", fix: "omp setup", code: "PYTHON_NOT_FOUND" }
    : check;
  return new KernelError({ kind: "unsupported", issue: `${issue}; to fix it: ${fix}`, code });
}
