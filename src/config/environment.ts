/** The PI_* variables, read once into a typed value. */

import { errorLine } from "../protocol/error.ts";
import { ConfigError, quoted } from "./errors.ts";
import type { EnvironmentVariables } from "./paths.ts";
import type { Settings } from "./schema.ts";

export interface OmpEnvironment {
  /** `PI_PY`: overrides the setting `python.toolMode`. */
  readonly toolMode: Settings["python"]["toolMode"] | undefined;
  /** `PI_PYTHON_GATEWAY_URL` and `PI_PYTHON_GATEWAY_TOKEN`: kernels live in an external gateway. */
  readonly gateway: { readonly url: string; readonly token: string | undefined } | undefined;
  /** `PI_PYTHON_SKIP_CHECK=1`: skip the Python preflight. */
  readonly skipPythonCheck: boolean;
  /** `PI_PYTHON_IPC_TRACE=1`: log the messages exchanged with the kernel. */
  readonly traceKernel: boolean;
  /** `PI_DEBUG_STARTUP=1`: report the stages of start-up. */
  readonly debugStartup: boolean;
  /** Lines to show, one for each variable with an invalid value. */
  readonly warnings: readonly string[];
}

const toolModes: ReadonlyMap<string, Settings["python"]["toolMode"]> = new Map([
  ["0", "bash-only"],
  ["bash", "bash-only"],
  ["1", "ipy-only"],
  ["py", "ipy-only"],
  ["mix", "both"],
  ["both", "both"],
]);

/** An empty variable counts as not set. Throws ConfigError for an invalid gateway address. */
export function readEnvironment(env: EnvironmentVariables): OmpEnvironment {
  const warnings: string[] = [];
  const warn = (issue: string) =>
    warnings.push(errorLine({ operation: "environment", issue, code: "INVALID_VALUE" }));

  const mode = env["PI_PY"] || undefined;
  const toolMode = mode === undefined ? undefined : toolModes.get(mode.toLowerCase());
  if (mode !== undefined && toolMode === undefined) {
    warn(
      `PI_PY must be 0 or bash, 1 or py, mix or both, not ${quoted(mode)}; using the setting 'python.toolMode'`,
    );
  }

  const flag = (name: string): boolean => {
    const value = env[name] || "0";
    if (value !== "1" && value !== "0")
      warn(`${name} must be 1 to take effect, not ${quoted(value)}; it is ignored`);
    return value === "1";
  };

  return {
    toolMode,
    gateway: readGateway(env),
    skipPythonCheck: flag("PI_PYTHON_SKIP_CHECK"),
    traceKernel: flag("PI_PYTHON_IPC_TRACE"),
    debugStartup: flag("PI_DEBUG_STARTUP"),
    warnings,
  };
}

function readGateway(env: EnvironmentVariables): OmpEnvironment["gateway"] {
  const url = env["PI_PYTHON_GATEWAY_URL"];
  if (!url) return undefined;
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== "http:" && protocol !== "https:") {
    // The value is not repeated: an address may carry a password.
    throw new ConfigError({
      kind: "invalid-value",
      operation: "environment",
      issue: "PI_PYTHON_GATEWAY_URL must be an http:// or https:// address",
    });
  }
  return { url, token: env["PI_PYTHON_GATEWAY_TOKEN"] || undefined };
}
