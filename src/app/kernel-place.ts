/** Another place for a session's kernels than the one that the settings name. */

import { KernelError } from "../kernel/errors.ts";
import { unsupportedError } from "../kernel/hosts/local-launch.ts";
import type { SessionHost, SessionHostOptions } from "../kernel/hosts/session-host.ts";
import type { Workspace } from "./workspace.ts";

/** Settings that put kernels there, whatever the others say. */
export function chosenPlace(
  place: string,
  { settings, environment }: Workspace,
): Pick<SessionHostOptions, "settings" | "environment"> {
  return {
    settings: { ...settings, python: { ...settings.python, gateway: place } },
    environment: { ...environment, gateway: undefined },
  };
}

/** Throws KernelError where no kernel can be. */
export async function checkPlace(host: SessionHost): Promise<void> {
  const check = await host.check();
  if (!check.ok) throw unsupportedError(check);
}

export function stuckError(why: string): KernelError {
  return new KernelError({
    kind: "unsupported",
    issue: `the kernel cannot be moved: ${why}`,
    code: "KERNEL_STAYS",
  });
}
