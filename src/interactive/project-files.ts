/** The files that `@` completes. They are listed when the first `@` is typed. */

import type { Invocation } from "../protocol/invocation.ts";
import type { FileList } from "../ui/complete/file-list.ts";
import type { Actions } from "../ui/store/actions.ts";

const MAX_OFFERED = 30;

/** @param onListing called when listing starts and when it has ended. */
export function projectFiles(
  invocation: Invocation,
  onListing: (isGoing: boolean) => void,
): Actions["findFiles"] {
  let opened: Promise<FileList> | undefined;
  return async function* find(query, signal) {
    opened ??= openList(invocation, onListing);
    const list = await opened;
    for await (const { matches } of list.search(query, { limit: MAX_OFFERED, signal }))
      yield matches.map(({ path }) => path);
  };
}

async function openList(invocation: Invocation, onListing: (isGoing: boolean) => void): Promise<FileList> {
  const [{ FileList: List }, { listProjectFiles }] = await Promise.all([
    import("../ui/complete/file-list.ts"),
    import("../app/project-files.ts"),
  ]);
  return new List({
    source: async function* source(signal) {
      onListing(true);
      try {
        yield* listProjectFiles(invocation, signal);
      } finally {
        onListing(false);
      }
    },
  });
}
