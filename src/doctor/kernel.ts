/** Starts a kernel as a session would, and ends it: what was found may look fine and still not run. */

import type { OmpEnvironment } from "../config/environment.ts";
import { formatDuration } from "../format/durations.ts";
import { SessionHost, type SessionHostOptions } from "../kernel/hosts/session-host.ts";
import { OmpError } from "../protocol/error.ts";
import type { Check } from "./check.ts";
import { type TriedCheckpoint, tryCheckpoint } from "./rewind.ts";

/** Whoever asks what is wrong does not want to wait for the setting's limit, which may be minutes. */
const LIMIT_MS = 30_000;

export type KernelSide = Pick<
  SessionHostOptions,
  "settings" | "paths" | "project" | "cwd" | "findInterpreter" | "kernelEnv" | "env" | "knownLoan"
> & { readonly environment: OmpEnvironment };

/** Undefined where there was no kernel to try it with. */
export interface KernelChecks {
  readonly check: Check;
  readonly checkpoint: TriedCheckpoint | undefined;
}

export async function checkKernel(side: KernelSide, fix: string | undefined): Promise<KernelChecks> {
  const name = "kernel";
  const nothing = () => undefined;
  const startTimeout = Math.min(side.settings.python.startTimeout, LIMIT_MS / 1000);
  const python = { ...side.settings.python, startTimeout, kernelMode: "session" as const };
  const host = new SessionHost({
    ...side,
    settings: { ...side.settings, python },
    // The interpreter has just been asked, and the doctor writes no cache.
    environment: { ...side.environment, skipPythonCheck: true },
    trace: nothing,
    onProgress: nothing,
    mark: nothing,
    keepsState: false,
  });
  const started = performance.now();
  try {
    const pool = await host.openPool();
    try {
      const signal = AbortSignal.timeout(LIMIT_MS);
      const session = { sessionId: crypto.randomUUID(), cwd: side.cwd, signal };
      const look = await pool.look(session, async (kernel) => ({
        version: kernel.facts.pythonVersion,
        milliseconds: Math.round(performance.now() - started),
        checkpoint: await tryCheckpoint(kernel, signal),
      }));
      const seen = look.kind === "answer" ? look.value : undefined;
      const { milliseconds = 0, version, checkpoint } = seen ?? {};
      const value = `starts and answers in ${formatDuration(milliseconds)} (Python ${version})`;
      return { check: { name, status: "ok", value, details: { milliseconds } }, checkpoint };
    } finally {
      await pool.close();
    }
  } catch (error) {
    if (error instanceof OmpError) return failed(error.issue, error.code);
    if (error instanceof DOMException)
      return failed(`did not start within ${formatDuration(LIMIT_MS)}`, "TIMEOUT");
    throw error;
  }

  function failed(value: string, code: string): KernelChecks {
    const repair = fix === undefined ? {} : { fix };
    return { check: { name, status: "fail", value, ...repair, details: { code } }, checkpoint: undefined };
  }
}
