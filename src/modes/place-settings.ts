/** The settings that hold in a place, for modes that need nothing else. */

import { ompPaths, projectPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { loadSettings } from "../config/settings.ts";
import type { ModePlace } from "./io.ts";

/** Throws ConfigError. */
export async function placeSettings({ env, cwd }: ModePlace): Promise<Settings> {
  const paths = ompPaths({ env });
  const projectFile = projectPaths(cwd, paths).settingsFile;
  return await loadSettings({ globalFile: paths.settingsFile, projectFile });
}
