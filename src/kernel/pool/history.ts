/** The past of one session's kernel, as `protocol/time.ts` describes it. */

import type {
  VariableChanges,
  VariableCheckpoint,
  VariableHistory,
  VariablesRestored,
} from "../../protocol/time.ts";
import { KernelError } from "../errors.ts";
import type { ParkedKernel } from "../kernel.ts";
import type { CheckpointOutcome, Kept } from "./checkpoints.ts";
import type { KernelSession } from "./session.ts";

/** @param find the session's kernel over time; undefined before the first use. A string: why there is no past, as a clause. */
export function sessionHistory(find: () => KernelSession | undefined | string): VariableHistory {
  const session = () => {
    const found = find();
    return typeof found === "string" ? undefined : found;
  };
  return {
    checkpoint: async (signal) => {
      const found = find();
      if (typeof found === "string") return { kind: "impossible", reason: found };
      if (found === undefined) return { kind: "empty" };
      const outcome = await takeCheckpoint(found, signal);
      return outcome.kind === "kept" ? { kind: "kept", checkpoint: described(outcome.checkpoint) } : outcome;
    },
    has: (id) => session()?.checkpoints.find(id) !== undefined,
    changesSince: async (id, signal) => {
      const found = session();
      const then = found?.checkpoints.find(id);
      if (found === undefined || then === undefined) return undefined;
      const now = await takeCheckpoint(found, signal);
      if (now.kind === "impossible") return undefined;
      return await compare(then.parked, now.kind === "kept" ? now.checkpoint.parked : undefined, signal);
    },
    restore: async (id, signal) => {
      const found = find();
      if (typeof found === "string") return { kind: "impossible", reason: found };
      if (found === undefined) {
        const nothing: VariablesRestored = { kind: "restored", undo: undefined, notHeld: [] };
        return id === undefined ? nothing : { kind: "impossible", reason: "there is no kernel any more" };
      }
      return await restore(found, id, signal);
    },
  };
}

/** Not while code runs: that would have to be waited for. */
async function takeCheckpoint(
  session: KernelSession,
  signal: AbortSignal,
): Promise<CheckpointOutcome | { readonly kind: "empty" }> {
  if (session.isBusy) return { kind: "impossible", reason: "code is running in the kernel" };
  return await session.inTurn(signal, async () => {
    const kernel = session.usableKernel;
    return kernel === undefined ? { kind: "empty" } : await session.checkpoints.take(kernel, signal);
  });
}

/** The state that is left is kept if it can be. */
async function restore(
  session: KernelSession,
  id: string | undefined,
  signal: AbortSignal,
): Promise<VariablesRestored> {
  const { checkpoints } = session;
  try {
    return await session.inTurn(signal, async (): Promise<VariablesRestored> => {
      const target = id === undefined ? undefined : checkpoints.find(id);
      if (id !== undefined && target === undefined)
        return { kind: "impossible", reason: "that state is no longer kept" };
      const kernel = session.usableKernel;
      // Before the present is kept, which may cost the oldest.
      const woken = await target?.parked.wake(signal);
      const undo = kernel && (await checkpoints.take(kernel, signal));
      await session.exchange(woken);
      checkpoints.noteRestored(target);
      const kept = undo?.kind === "kept" ? described(undo.checkpoint) : undefined;
      return { kind: "restored", undo: kept, notHeld: target?.notHeld ?? [] };
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof KernelError)) throw error;
    return { kind: "impossible", reason: error.issue };
  }
}

function described({ id, at, notHeld }: Kept): VariableCheckpoint {
  return { id, at, notHeld };
}

/** Undefined when that cannot be told. */
async function compare(
  earlier: ParkedKernel,
  later: ParkedKernel | undefined,
  signal: AbortSignal,
): Promise<VariableChanges | undefined> {
  if (earlier === later) return { added: [], removed: [], changed: [], unknown: [] };
  try {
    const [then, now] = await Promise.all([earlier.digests(signal), later?.digests(signal) ?? new Map()]);
    const inBoth = [...then.keys()].filter((name) => now.has(name));
    const isUnknown = (name: string) => then.get(name) === null || now.get(name) === null;
    return {
      added: [...now.keys()].filter((name) => !then.has(name)),
      removed: [...then.keys()].filter((name) => !now.has(name)),
      changed: inBoth.filter((name) => !isUnknown(name) && then.get(name) !== now.get(name)),
      unknown: inBoth.filter(isUnknown),
    };
  } catch (error) {
    if (signal.aborted || !(error instanceof KernelError)) throw error;
    return undefined;
  }
}
