/**
 * Gives the user's settings the name that is ours alone: a copy, made once, of the file with the earlier name, which stays as it is.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { ownFileInUse } from "../config/earlier.ts";
import type { OmpPaths } from "../config/paths.ts";
import { makeNewFile } from "../process/new-file.ts";
import { attempt } from "../protocol/index.ts";

/** @returns a line for the user when it has copied the file. Where nothing can be written, the earlier file stays in use. */
export function copyEarlierSettings(paths: OmpPaths): string | undefined {
  const { settingsFile, earlierSettingsFile } = paths;
  const { file, warnings } = ownFileInUse(paths);
  // Until the user has decided about what was lost, nothing is made permanent.
  if (file !== earlierSettingsFile || warnings.length > 0) return undefined;
  const isCopied = attempt(() => {
    const text = readFileSync(earlierSettingsFile);
    return makeNewFile(settingsFile, (aside) =>
      writeFileSync(aside, text, { mode: 0o600, flag: "wx", flush: true }),
    );
  });
  return isCopied
    ? `omp: your settings were copied to ${settingsFile}, which omp now uses; ${earlierSettingsFile} is unchanged`
    : undefined;
}
