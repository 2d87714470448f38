/** What the file tools need from the session. */

import type { ArtifactStore } from "../../output/artifacts.ts";
import type { RipgrepServices } from "../ripgrep.ts";
import type { FileFreshness } from "./freshness.ts";

/** `home` is also what `~` means in a path. */
export interface FileToolOptions extends RipgrepServices {
  /** Where `artifact://<id>` is looked up; asked for only when a call names one. */
  readonly artifacts: () => ArtifactStore | undefined;
}

export interface FileServices extends FileToolOptions {
  readonly freshness: FileFreshness;
}
