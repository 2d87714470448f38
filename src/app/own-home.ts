/** Root, by way of `sudo` or in a container, may have been left another user's HOME: nothing of root's is put there. */

import { readFileSync, statSync } from "node:fs";
import type { EnvironmentVariables } from "../config/paths.ts";
import { attempt } from "../protocol/error.ts";

export interface HomeFacts {
  readonly uid: number | undefined;
  /** Undefined for a directory that does not exist. */
  readonly ownerOf: (directory: string) => number | undefined;
  readonly homeOfRoot: () => string;
}

const thisSystem: HomeFacts = {
  uid: process.getuid?.(),
  ownerOf: (directory) => statSync(directory, { throwIfNoEntry: false })?.uid,
  // Bun's os.userInfo() has the HOME that is set.
  homeOfRoot: () =>
    /^root:.*:(\/[^:]*):[^:]*$/m.exec(attempt(() => readFileSync("/etc/passwd", "utf8")) ?? "")?.[1] ??
    "/root",
};

/** The home to use in place of HOME; undefined where HOME is right. */
export function ownHome({ HOME: home }: EnvironmentVariables, system = thisSystem): string | undefined {
  if (system.uid !== 0 || !home) return undefined;
  const owner = system.ownerOf(home);
  return owner === undefined || owner === 0 ? undefined : system.homeOfRoot();
}
