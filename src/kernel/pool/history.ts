/** The past of one session's kernel, as `protocol/time.ts` describes it. */

import type {
  VariableChanges,
  VariableCheckpoint,
  VariableHistory,
  VariablesKept,
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
      return described(await takeCheckpoint(found, signal));
    },
    find: (id) => {
      const kept = session()?.checkpoints.find(id);
      return kept && facts(kept);
    },
    changesSince: async (id, signal) => {
      const found = session();
      if (found === undefined) return id === undefined ? NO_CHANGES : undefined;
      const then = id === undefined ? undefined : found.checkpoints.find(id);
      if (id !== undefined && then === undefined) return undefined;
      const now = await takeCheckpoint(found, signal);
      if (now.kind === "impossible") return undefined;
      return await compare(then?.parked, now.kind === "kept" ? now.checkpoint.parked : undefined, signal);
    },
    restore: async (id, signal) => {
      const found = find();
      if (typeof found === "string") return { kind: "impossible", reason: found };
      if (found === undefined) {
        return id === undefined
          ? { kind: "restored", undo: { kind: "empty" }, notHeld: [] }
          : { kind: "impossible", reason: "there is no kernel any more" };
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

/** The state that is left is kept if it can be; it must be where the other one is empty, since that is all there would be. */
async function restore(
  session: KernelSession,
  id: string | undefined,
  signal: AbortSignal,
): Promise<VariablesRestored> {
  const { checkpoints } = session;
  const restored = (undo: VariablesKept, notHeld: readonly string[] = []): VariablesRestored => ({
    kind: "restored",
    undo,
    notHeld,
  });
  try {
    return await session.inTurn(signal, async () => {
      const target = id === undefined ? undefined : checkpoints.find(id);
      if (id !== undefined && target === undefined)
        return { kind: "impossible", reason: "that state is no longer kept" };
      const kernel = session.usableKernel;
      if (target === undefined && !session.hasState) return restored({ kind: "empty" });
      if (kernel && target && target === checkpoints.current)
        return restored({ kind: "kept", checkpoint: facts(target) });
      // Before the present is kept, which may cost the oldest.
      const woken = await target?.parked.wake(signal);
      try {
        const undo = kernel ? await checkpoints.take(kernel, signal) : ENDED;
        if (target === undefined && kernel && undo.kind === "impossible")
          return { kind: "impossible", reason: presentNotKept(undo.reason) };
        await session.exchange(woken);
        checkpoints.noteRestored(target);
        return restored(described(undo), target?.notHeld);
      } finally {
        // Where it did not become the session's.
        if (woken !== session.kernel) await woken?.shutdown({ graceMs: 0 });
      }
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof KernelError)) throw error;
    return { kind: "impossible", reason: error.issue };
  }
}

const ENDED = { kind: "impossible", reason: "the kernel had ended" } as const;
const NO_CHANGES: VariableChanges = { added: [], removed: [], changed: [], unknown: [] };

export function presentNotKept(reason: string): string {
  return `the present ones cannot be kept: ${reason}`;
}

function described(outcome: CheckpointOutcome | { readonly kind: "empty" }): VariablesKept {
  return outcome.kind === "kept" ? { kind: "kept", checkpoint: facts(outcome.checkpoint) } : outcome;
}

function facts({ id, at, notHeld }: Kept): VariableCheckpoint {
  return { id, at, notHeld };
}

/** Undefined when that cannot be told. */
async function compare(
  earlier: ParkedKernel | undefined,
  later: ParkedKernel | undefined,
  signal: AbortSignal,
): Promise<VariableChanges | undefined> {
  if (earlier === later) return NO_CHANGES;
  try {
    const digests = async (parked: ParkedKernel | undefined) => (await parked?.digests(signal)) ?? new Map();
    const [then, now] = await Promise.all([digests(earlier), digests(later)]);
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
