/** "Always" as an answer: the command's pattern is added to `bash.allow` in the user's own settings. */

import { OmpError } from "../protocol/index.ts";
import type { GrantStore } from "../tools/approval/grants.ts";

export function settingsGrantStore(options: {
  readonly settingsFile: string;
  readonly notify: (text: string) => void;
}): GrantStore {
  let saved: Promise<void> = Promise.resolve();
  return {
    allowAlways: (patterns) => {
      // One after the other: each reads what the previous one has written.
      saved = saved
        .then(() => allow(options.settingsFile, patterns))
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

async function allow(file: string, patterns: readonly string[]): Promise<void> {
  const [{ loadSettings }, { settingKey }, { saveSetting }] = await Promise.all([
    import("../config/settings.ts"),
    import("../config/keys.ts"),
    import("../config/save.ts"),
  ]);
  const { bash } = await loadSettings({ globalFile: file, projectFile: undefined });
  const value = [...new Set([...bash.allow, ...patterns])];
  saveSetting({ file, setting: settingKey("bash.allow"), value });
}
