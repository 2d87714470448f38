/** The settings of the screen, before anything is painted. Only a file that mentions them is parsed: loading the parser takes time. */

import { readFileSync } from "node:fs";
import { defaultSettings } from "../config/defaults.ts";
import type { Settings } from "../config/schema.ts";
import { loadSettings, settingsFiles } from "../config/settings.ts";
import { OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

/** Never throws: problems of a file are reported when the session is opened. */
export async function uiSettings(invocation: Invocation): Promise<Settings["ui"]> {
  const files = settingsFiles(invocation);
  if (![files.globalFile, files.projectFile].some(mentionsUi)) return defaultSettings.ui;
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
    // Missing or unreadable.
    return false;
  }
}
