/** What cells ask about branches (`src/kernel/python/branches.py`): whether one is there, to make one of a running cell, to keep or drop one. */

import type { Kernel } from "../kernel/kernel.ts";
import { BRANCH_NAME_RULE, isBranchName } from "../kernel/pool/branch-name.ts";
import { OmpError } from "../protocol/index.ts";
import type { UnknownRecord } from "../protocol/record.ts";
import type { SessionPython } from "./python.ts";

export type { BranchFacts } from "../kernel/pool/branches.ts";

export interface BranchQuestion {
  readonly python: Pick<SessionPython, "branches">;
  /** The kernel that asks. */
  readonly kernel: Pick<Kernel, "parkedAt">;
  readonly signal: AbortSignal;
  /** The branch that a subagent works in: what it does there is nothing to its parent's kernel. */
  readonly own: string | undefined;
}

const NOT_COPIED = "this kernel cannot be copied: only one that omp has started on this machine can";

/** An error is a line in the answer. */
export async function answerBranches(
  { python, kernel, signal, own }: BranchQuestion,
  { op, name, socket, notHeld }: UnknownRecord,
): Promise<UnknownRecord> {
  const branches = await python.branches();
  if (typeof name !== "string" || !isBranchName(name))
    return refused(`the name of a branch ${BRANCH_NAME_RULE}`);
  try {
    switch (op) {
      case "open":
        if (branches.has(name)) return { isThere: true };
        return kernel.parkedAt === undefined ? refused(NOT_COPIED) : { isThere: false };
      case "make": {
        const left = Array.isArray(notHeld) ? notHeld.filter((each) => typeof each === "string") : [];
        const parked = await kernel.parkedAt?.(String(socket), left, signal);
        if (parked === undefined) return refused(NOT_COPIED);
        await branches.make(name, parked, signal).finally(() => parked.drop());
        return {};
      }
      case "keep":
        if (own !== undefined) return refused("a subagent in a branch cannot replace its parent's kernel");
        if (!branches.has(name)) return refused(`there is no branch ${name}`);
        // After the cell that asks, which runs in the kernel that is given up.
        branches.keepAfterwards(name);
        return {};
      case "drop":
        if (name === own) return refused("a subagent cannot drop the branch that it works in");
        await branches.drop(name);
        return {};
      default:
        return refused(`this version of omp does not know '${op}'`);
    }
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    return refused(error.issue);
  }
}

function refused(issue: string): UnknownRecord {
  return { error: new OmpError({ operation: "omp.branch", issue, code: "NO_BRANCH" }).message };
}
