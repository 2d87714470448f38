/** Whether a model would be found without naming one. */

import { ompPaths, projectPaths } from "../config/paths.ts";
import { loadSettings } from "../config/settings.ts";
import { defaultModelName } from "../models/open-model.ts";
import type { ModePlace } from "./io.ts";

export async function hasModel({ env, cwd }: ModePlace): Promise<boolean> {
  const paths = ompPaths({ env });
  const projectFile = projectPaths(cwd, paths).settingsFile;
  const { model, endpoints } = await loadSettings({ globalFile: paths.settingsFile, projectFile });
  return model !== undefined || defaultModelName({ env, endpoints }) !== undefined;
}
