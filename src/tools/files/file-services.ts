/** What the file tools need from the session. */

import type { ArtifactStore } from "../../output/artifacts.ts";
import type { FileFreshness } from "./freshness.ts";

export interface FileToolOptions {
  /** Where `artifact://<id>` is looked up; asked for only when a call names one. */
  readonly artifacts: () => ArtifactStore | undefined;
  /** What `~` stands for, and where ripgrep finds the user's own git ignore file. */
  readonly home: string;
  /** The user's PATH: where `rg` is looked for when the packaged one is missing. */
  readonly searchPath: string | undefined;
}

export interface FileServices extends FileToolOptions {
  readonly freshness: FileFreshness;
}
