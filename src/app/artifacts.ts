/** A session's artifacts: the store is opened, and old files are removed, with the first use. */

import { once } from "../async/once.ts";
import { ArtifactStore } from "../output/artifacts.ts";
import type { Workspace } from "./workspace.ts";

const BYTES_PER_MB = 1_000_000;
const MS_PER_DAY = 86_400_000;

/** Finds full outputs, also those that are still being written. */
export type Artifacts = Pick<ArtifactStore, "find" | "newestOpen">;

export function sessionArtifacts({ paths, settings }: Pick<Workspace, "paths" | "settings">) {
  return once(() => {
    const store = new ArtifactStore({
      directory: paths.artifacts,
      maxTotalBytes: settings.artifacts.maxTotalMb * BYTES_PER_MB,
      maxAgeMs: settings.artifacts.maxAgeDays * MS_PER_DAY,
    });
    store.cleanUp();
    return store;
  }).get;
}
