/** The settings of the screen, before anything is painted. Only a file that mentions them is parsed: loading the parser takes time. */

import { dirname } from "node:path";
import { defaultSettings } from "../config/defaults.ts";
import { readProjectFile } from "../config/project-file.ts";
import type { Settings } from "../config/schema.ts";
import { loadSettings, settingsFiles } from "../config/settings.ts";
import { OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

/** Never throws: problems of a file are reported when the session is opened. */
export async function uiSettings(invocation: Invocation): Promise<Settings["ui"]> {
  try {
    const files = settingsFiles(invocation);
    const { globalFile, projectFile } = files;
    const isMentioned =
      mentionsUi(globalFile, undefined) || mentionsUi(projectFile, dirname(dirname(projectFile)));
    if (!isMentioned) return defaultSettings.ui;
    return (await loadSettings(files)).ui;
  } catch (error) {
    if (error instanceof OmpError) return defaultSettings.ui;
    throw error;
  }
}

function mentionsUi(file: string, root: string | undefined): boolean {
  const read = readProjectFile(file, { root, maxBytes: 1_000_000 });
  return read !== undefined && "bytes" in read && /"ui"/.test(new TextDecoder().decode(read.bytes));
}
