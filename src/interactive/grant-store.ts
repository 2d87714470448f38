/** "Always": the words of a command go to `bash.allow` of the user's own settings. */

import { OmpError } from "../protocol/index.ts";
import type { GrantStore } from "../tools/approval/index.ts";

export function settingsGrantStore(options: {
  readonly settingsFile: string;
  readonly tell: (text: string) => void;
}): GrantStore {
  let saved: Promise<void> = Promise.resolve();
  return {
    allowAlways: (patterns) => {
      // One after the other: each reads what the one before has written.
      saved = saved
        .then(() => allow(options.settingsFile, patterns))
        .then(
          () => options.tell(`From now on without a question: ${patterns.join(", ")} (bash.allow)`),
          (error: unknown) => {
            if (!(error instanceof OmpError)) throw error;
            options.tell(`Kept for this session only: ${error.message}`);
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
