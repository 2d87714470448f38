/** The files that `@` completes. They are listed when the first `@` is typed. */

import { once } from "../async/once.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { Actions } from "../ui/store/actions.ts";

const MAX_OFFERED = 30;

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
    const files = await list.get();
    for await (const { matches } of files.search(query, { limit: MAX_OFFERED, signal }))
      yield matches.map(({ path }) => path);
  };
}
