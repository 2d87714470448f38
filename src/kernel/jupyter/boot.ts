/**
 * The boot code, the first that every kernel of ours runs: directory, environment, fast output, helpers. Sent as
 * a silent execution, so that it leaves no trace in counters and history.
 */

import { KernelError } from "../errors.ts";
import type { KernelFacts } from "../kernel.ts";
import type { ExtensionModule } from "../python/extension-modules.ts";
import { type BootResult, bootRequest, type DirectoryOrigin, readBootReply } from "../python/init-code.ts";
import type { JupyterClient } from "./client.ts";

export interface BootOptions {
  readonly cwd: string;
  /** Variables set inside the kernel. */
  readonly env: Readonly<Record<string, string>>;
  /** Loaded in this order when the boot code has run; a later one's names win. */
  readonly modules: readonly ExtensionModule[];
  /** How long each of them may take. */
  readonly moduleLimitMs: number;
  /** Whether a fork server has loaded our sources into the kernel already. */
  readonly preloaded: boolean;
  /** A copy of a kernel that has booted: everything in it stays as it was. */
  readonly woken?: boolean;
  /** Extension modules that could not be sent, or that had failed before it was copied. */
  readonly unreadModules?: KernelFacts["failedModules"];
  /** For a kernel behind a gateway. */
  readonly gateway?: {
    readonly name: string;
    /** Whether it may be on a machine where our files are not. */
    readonly isElsewhere: boolean;
    /** Distinguishes our directory from one of the same name elsewhere; undefined when it does not exist. */
    readonly origin: DirectoryOrigin | undefined;
  };
}

/** Needs no subscription to iopub: the reply holds everything. */
export async function bootKernel(client: JupyterClient, options: BootOptions): Promise<KernelFacts> {
  const { cwd, env, unreadModules = [], preloaded, gateway, woken = false } = options;
  const remote = gateway && {
    elsewhere: gateway.isElsewhere,
    ...(gateway.origin ? { origin: gateway.origin } : {}),
    recall: true,
  };
  const content = bootRequest(
    { cwd, ...remote, env: { ...env }, ...(woken ? { woken } : {}) },
    { preloaded },
  );
  const reply = await client.request("shell", "execute_request", content, "reply").reply();
  const result = readBootReply(reply.content);
  if (typeof result === "string") {
    const issue = `the kernel's start-up code failed: ${result}`;
    throw new KernelError({ kind: "start-failed", issue, code: "KERNEL_BOOT" });
  }
  return { ...factsOf(result, gateway?.name), failedModules: unreadModules };
}

function factsOf(report: BootResult, gateway: string | undefined): Omit<KernelFacts, "failedModules"> {
  return {
    pythonVersion: report.python,
    executable: report.executable,
    ipykernelVersion: report.ipykernel ?? "unknown",
    pid: report.pid,
    location: { gateway, host: report.host, cwd: report.cwd, seesOurFiles: report.seesOurFiles },
    helpers: report.helpers,
    bootProblems: report.problems,
  };
}
