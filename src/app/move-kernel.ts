/**
 * `/kernel move`: a session's kernel continues at another place, in a gateway or back on this machine, with its variables. All of them are loaded
 * there at once, so that what cannot come along is known before the old kernel ends; if the move fails, that one stays as it is.
 */

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bytesOf, keptNames } from "../kernel/variables/kept-index.ts";
import { isAlive } from "../process/identity.ts";
import { attempt } from "../protocol/index.ts";
import { lentCloudpickle } from "../python/lent-cloudpickle.ts";
import type { Services } from "./services.ts";

/** The user waits, and can stop it. */
const NO_LIMITS = {
  valueBytes: Number.MAX_SAFE_INTEGER,
  totalBytes: Number.MAX_SAFE_INTEGER,
  seconds: 86_400,
};
const NAME = "moving.variables";

export interface MoveOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: {
    readonly stage: "keeping" | "fetching" | "restoring";
    readonly done: number;
    readonly all: number;
  }) => void;
}

export interface MovedVariables {
  readonly names: readonly string[];
  readonly bytes: number;
  /** What did not come along, and why. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
  readonly notes: readonly string[];
}

/** Where a kernel can be moved to. */
export function placesToMoveTo({ workspace }: Pick<Services, "workspace">): string[] {
  return ["local", ...workspace.settings.gateways.map(({ name }) => name)];
}

/**
 * Throws KernelError, CallFailed, a system error, or the signal's reason: then nothing has changed. @returns undefined when there was nothing to
 * bring along.
 */
export async function moveKernel(
  { python, workspace }: Pick<Services, "python" | "workspace">,
  place: string,
  { signal, onProgress }: MoveOptions,
): Promise<MovedVariables | undefined> {
  const [{ KeptFile }, { keepVariables }, { attachVariables, loadVariables }] = await Promise.all([
    import("../kernel/variables/kept-file.ts"),
    import("../kernel/variables/keep-variables.ts"),
    import("../kernel/variables/restore-variables.ts"),
  ]);
  const { sessions } = workspace.paths;
  const lent = lentCloudpickle(workspace.paths);
  const wasVisible = python.seesOurFiles;
  let moved: MovedVariables | undefined;
  removeLeft(sessions);
  await python.moveTo(
    place,
    async (from, to, isVisible) => {
      const file = new KeptFile(join(sessions, NAME));
      try {
        const path = file.partial;
        onProgress({ stage: "keeping", done: 0, all: 0 });
        const { index } = await keepVariables(from, {
          ...NO_LIMITS,
          path,
          isVisible: wasVisible,
          lent,
          signal,
          onBytes: (done, all) => onProgress({ stage: "fetching", done, all }),
        });
        signal.throwIfAborted();
        const all = bytesOf(index);
        onProgress({ stage: "restoring", done: 0, all });
        const onBytes = (done: number) => onProgress({ stage: "restoring", done, all });
        const kept = { path, index, session: "", savedAt: "", sandbox: "" };
        await attachVariables(to, { kept, isVisible, lent, signal, onBytes });
        const failed = await loadVariables(to, signal);
        signal.throwIfAborted();
        const lost = new Set(failed.map(({ name }) => name));
        moved = {
          names: keptNames(index).filter((name) => !lost.has(name)),
          bytes: all,
          left: [...index.notKept, ...failed],
          notes: index.notes,
        };
      } finally {
        file.discard();
      }
    },
    signal,
  );
  return moved;
}

/** What an omp that was killed meanwhile has left. */
function removeLeft(directory: string): void {
  for (const name of attempt(() => readdirSync(directory)) ?? []) {
    const [, pid] = /^moving\.variables\.partial-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(directory, name), { force: true });
  }
}
