/** Work trees for tests: a worktree with a home of its own. */

import { join } from "node:path";
import type { Snapshot } from "../../src/worktree/snapshot-store.ts";
import { Worktree, type WorktreeLimits } from "../../src/worktree/worktree.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";

const limits: WorktreeLimits = {
  maxFileBytes: 10_000_000,
  waitMs: 60_000,
  firstLookMs: 60_000,
  maxAgeMs: 86_400_000,
  maxTotalBytes: 1_000_000_000,
};

export const never = new AbortController().signal;

export interface OpenTree {
  readonly place: TestPlace;
  readonly worktree: Worktree;
  readonly take: () => Promise<Snapshot>;
  /** Takes the present state and goes back. */
  readonly goTo: (target: Snapshot) => ReturnType<Worktree["restore"]>;
}

export function openTree(
  place: TestPlace = temporaryPlace(),
  options: Partial<WorktreeLimits> & { readonly root?: string } = {},
): OpenTree {
  const { root = place.project, ...own } = options;
  const worktree = Worktree.open({
    root,
    home: place.home,
    store: storeOf(place),
    env: { PATH: process.env["PATH"], HOME: place.home },
    limits: { ...limits, ...own },
  });
  if ("off" in worktree) throw new Error(worktree.off);
  const take = async () => {
    const taken = await worktree.take(never);
    if (taken.kind === "skipped") throw new Error(taken.reason);
    return taken.snapshot;
  };
  return { place, worktree, take, goTo: async (target) => worktree.restore(await take(), target) };
}

export function storeOf({ home }: TestPlace): string {
  return join(home, ".omp", "agent", "omp-files");
}
