/** The files that `@` completes. They are listed when the first `@` is typed. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { once } from "../async/once.ts";
import { ignoreSystemError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { FileMatch } from "../ui/complete/file-search.ts";
import type { Actions } from "../ui/store/actions.ts";

const MAX_OFFERED = 30;
/** Of these, the ones that were changed lately come first among similar ones. */
const MAX_RANKED = 90;
const [HOUR_MS, DAY_MS, WEEK_MS] = [3_600_000, 86_400_000, 604_800_000];

/** @param onListing called when listing starts and when it has ended. */
export function projectFiles(
  invocation: Invocation,
  onListing: (isGoing: boolean) => void,
): Actions["findFiles"] {
  const list = once(async () => {
    const [{ FileList }, { listProjectFiles }] = await Promise.all([
      import("../ui/complete/file-list.ts"),
      import("../app/project-files.ts"),
    ]);
    return new FileList({
      source: async function* source(signal) {
        onListing(true);
        try {
          yield* listProjectFiles(invocation, signal);
        } finally {
          onListing(false);
        }
      },
    });
  });
  return async function* find(query, signal) {
    const { pathsAt } = await import("./completions.ts");
    const outside = await pathsAt(query, invocation);
    if (outside !== undefined) {
      yield { paths: outside.slice(0, MAX_OFFERED), total: outside.length };
      return;
    }
    const files = await list.get();
    const ages = new Map<string, number>();
    for await (const { matches, total } of files.search(query, { limit: MAX_RANKED, signal })) {
      await readAges(matches, ages, invocation.cwd);
      if (signal.aborted) return;
      yield { paths: byWorth(matches, ages).slice(0, MAX_OFFERED), total };
    }
  };
}

/** How long ago each was changed; looked at once a search, so that the order is steady. */
async function readAges(
  matches: readonly FileMatch[],
  ages: Map<string, number>,
  cwd: string,
): Promise<void> {
  const now = Date.now();
  const unknown = matches.filter(({ path }) => !path.endsWith("/") && !ages.has(path));
  await Promise.all(
    unknown.map(async ({ path }) => {
      const facts = await stat(join(cwd, path)).catch(ignoreSystemError);
      ages.set(path, facts === undefined ? Number.POSITIVE_INFINITY : now - facts.mtimeMs);
    }),
  );
}

/** Closeness counts most: the points for recency are fewer than those for the start of a word. */
function byWorth(matches: readonly FileMatch[], ages: ReadonlyMap<string, number>): string[] {
  const worth = ({ path, score }: FileMatch) => score + recency(ages.get(path) ?? Number.POSITIVE_INFINITY);
  const order = (one: FileMatch, other: FileMatch) =>
    worth(other) - worth(one) || one.path.length - other.path.length || (one.path < other.path ? -1 : 1);
  return matches.toSorted(order).map(({ path }) => path);
}

function recency(ageMs: number): number {
  if (ageMs < HOUR_MS) return 9;
  if (ageMs < DAY_MS) return 6;
  return ageMs < WEEK_MS ? 3 : 0;
}
