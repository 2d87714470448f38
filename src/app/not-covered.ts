/** What of the project's files no snapshot holds, by the names that people know. */

import type { NotCoveredReason, Snapshot } from "../worktree/snapshot-store.ts";
import type { Worktree } from "../worktree/worktree.ts";

export interface NotCoveredName {
  /** Relative to the project. */
  readonly name: string;
  /** A few words. */
  readonly why: string;
}

const reasons: Readonly<Record<NotCoveredReason, string>> = {
  large: "too large",
  repository: "a repository of its own",
  unreadable: "unreadable",
  refused: "a name that git does not take",
};

export function notCoveredNames(
  files: Pick<Worktree, "nameOf">,
  snapshots: readonly Pick<Snapshot, "notCovered">[],
): NotCoveredName[] {
  const whys = new Map(
    snapshots.flatMap(({ notCovered }) => notCovered.map(({ path, why }) => [path, why] as const)),
  );
  return [...whys].map(([path, why]) => ({ name: files.nameOf(path), why: reasons[why] }));
}

const MOST_NAMES = 3;

/** `data.bin (too large), vendor/x/ (a repository of its own) and 4 more`. */
export function notCoveredText(all: readonly NotCoveredName[]): string {
  const names = all.slice(0, MOST_NAMES).map(({ name, why }) => `${name} (${why})`);
  const more = all.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}
