/** The settings of the screen, before anything is painted. Only a file that speaks of them is read as settings: that takes time. */

import { readFileSync } from "node:fs";
import { defaultSettings } from "../config/defaults.ts";
import { ompPaths, projectPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

/** Never throws: what is wrong with a file is told when the session is opened. */
export async function uiSettings({ env, cwd }: Invocation): Promise<Settings["ui"]> {
  const paths = ompPaths({ env });
  const files = { globalFile: paths.settingsFile, projectFile: projectPaths(cwd, paths).settingsFile };
  if (![files.globalFile, files.projectFile].some(mentionsUi)) return defaultSettings.ui;
  const { loadSettings } = await import("../config/settings.ts");
  try {
    return (await loadSettings(files)).ui;
  } catch (error) {
    if (error instanceof OmpError) return defaultSettings.ui;
    throw error;
  }
}

function mentionsUi(file: string): boolean {
  try {
    return /"ui"/.test(readFileSync(file, "utf8"));
  } catch {
    // Not there, or not to be read: then there is nothing to take from it.
    return false;
  }
}
