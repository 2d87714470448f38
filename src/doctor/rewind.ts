/** What `omp doctor` says about going back: whether variables can be kept by checkpoints of the kernel, and files by snapshots. */

import { openFiles } from "../app/files.ts";
import type { OmpPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { formatDuration } from "../format/durations.ts";
import type { KernelHostChoice } from "../kernel/hosts/host-choice.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { Check } from "./check.ts";

/** Whether a kernel that was just started could be copied; a reason is a clause. */
export type TriedCheckpoint = { readonly milliseconds: number } | { readonly reason: string };

const AGAIN = "/rewind offers to run cells again, and there are no branches";
const ELSEWHERE = `not in gateways, nor in kernels that omp did not start (--kernel): there ${AGAIN}`;

/** Leaves nothing behind. */
export async function tryCheckpoint(kernel: Kernel, signal: AbortSignal): Promise<TriedCheckpoint> {
  const started = performance.now();
  const parking = await kernel.park?.(signal);
  if (parking?.kind !== "parked") return { reason: parking?.reason ?? "omp did not start this kernel" };
  const milliseconds = Math.round(performance.now() - started);
  parking.parked.drop();
  await parking.parked.exited;
  return { milliseconds };
}

/** @param tried undefined where no kernel was started. */
export function checkCheckpoints(
  { python }: Settings,
  host: KernelHostChoice["kind"],
  tried: TriedCheckpoint | undefined,
): Check {
  const name = "checkpoints";
  const none = (reason: string): Check => ({
    name,
    status: "ok",
    value: `none: ${reason}; ${AGAIN}`,
    details: { variables: false, reason },
  });
  if (host !== "local") return none("kernels run in a gateway");
  if (python.kernelMode === "per-call") return none("no kernel outlives a call (python.kernelMode)");
  if (python.checkpoints === 0) return none("the setting python.checkpoints is 0");
  if (tried === undefined) return none("no kernel was started to try it");
  if ("reason" in tried) return none(tried.reason);
  const { milliseconds } = tried;
  const value = `work (${formatDuration(milliseconds)}): /rewind brings variables back, python has branches`;
  return { name, status: "ok", value, notes: [ELSEWHERE], details: { variables: true, milliseconds } };
}

/** Looks at no file of the project. */
export function checkSnapshots(
  side: { readonly settings: Settings; readonly paths: OmpPaths; readonly env: Invocation["env"] },
  root: string,
): Check {
  const name = "snapshots";
  const files = openFiles(side, root);
  return "off" in files
    ? {
        name,
        status: "ok",
        value: `none: ${files.off}; /rewind leaves files as they are`,
        details: { files: false },
      }
    : {
        name,
        status: "ok",
        value: "kept before each prompt: /rewind brings files back",
        details: { files: true },
      };
}
