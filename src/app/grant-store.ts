/** "Always" as an answer: the command's pattern is added to `bash.allow` in the user's own settings. */

import type { OmpPaths } from "../config/paths.ts";
import { OmpError } from "../protocol/index.ts";
import type { GrantStore } from "../tools/approval/grants.ts";

export function settingsGrantStore(options: {
  readonly paths: OmpPaths;
  readonly notify: (text: string) => void;
}): GrantStore {
  let saved: Promise<void> = Promise.resolve();
  return {
    allowAlways: (patterns) => {
      // One after the other: each reads what the previous one has written.
      saved = saved
        .then(() => allow(options.paths, patterns))
        .then(
          () => options.notify(`Always allowed: ${patterns.join(", ")} (bash.allow)`),
          (error: unknown) => {
            if (!(error instanceof OmpError)) throw error;
            options.notify(`Allowed for this session only: ${error.message}`);
          },
        );
    },
  };
}

async function allow(paths: OmpPaths, patterns: readonly string[]): Promise<void> {
  const [{ ownFileInUse }, { loadSettings }, { settingKey }, { saveSetting }] = await Promise.all([
    import("../config/earlier.ts"),
    import("../config/settings.ts"),
    import("../config/keys.ts"),
    import("../config/save.ts"),
  ]);
  const { file: from, held } = ownFileInUse(paths);
  const { bash } = await loadSettings({ globalFile: from, projectFile: undefined });
  const value = [...new Set([...bash.allow, ...patterns])];
  saveSetting({ file: paths.settingsFile, setting: settingKey("bash.allow"), value, from, held });
}
