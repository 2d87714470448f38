/** The project's files over time, as the settings say. */

import { Worktree } from "../worktree/worktree.ts";
import type { Workspace } from "./workspace.ts";

/** Or why they are not kept, as a clause. */
export type SessionFiles = Worktree | { readonly off: string };

const BYTES_PER_MB = 1_000_000;
const MS_PER_DAY = 86_400_000;
/** A prompt or a call does not wait longer. */
const WAIT_MS = 2_000;
/** In the background, while the model thinks. */
const FIRST_LOOK_MS = 30_000;

/** Starts nothing. */
export function openFiles(
  workspace: Pick<Workspace, "settings" | "paths" | "env">,
  root: string,
): SessionFiles {
  const { settings, paths, env } = workspace;
  const { checkpoints, maxFileMb, maxTotalMb, maxAgeDays } = settings.files;
  if (!checkpoints) return { off: "the setting files.checkpoints is false" };
  return Worktree.open({
    root,
    home: paths.userHome,
    store: paths.files,
    env,
    limits: {
      maxFileBytes: maxFileMb * BYTES_PER_MB,
      maxTotalBytes: maxTotalMb * BYTES_PER_MB,
      maxAgeMs: maxAgeDays * MS_PER_DAY,
      waitMs: WAIT_MS,
      firstLookMs: FIRST_LOOK_MS,
    },
  });
}
