/**
 * Where Apple's command line developer tools are not installed, /usr/bin/python3 of macOS is only a stub: it opens a dialog that offers to
 * install them. Trying it out would open the dialog, so it is recognised by what it would run.
 */

import { existsSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../protocol/error.ts";

const STUB = /^\/usr\/bin\/python3?$/;
const SELECTED = "/var/db/xcode_select_link";

export interface AppleMachine {
  readonly platform: NodeJS.Platform;
  readonly exists: (path: string) => boolean;
  /** Where a link leads; undefined when it is none. */
  readonly linkTarget: (path: string) => string | undefined;
}

const thisMachine: AppleMachine = {
  platform: process.platform,
  exists: existsSync,
  linkTarget: (path) => attempt(() => readlinkSync(path)),
};

/** What keeps the stub from being a Python, or undefined for everything else. */
export function stubProblem(path: string, machine: Partial<AppleMachine> = {}): string | undefined {
  const { platform, exists, linkTarget } = { ...thisMachine, ...machine };
  if (platform !== "darwin" || !STUB.test(path)) return undefined;
  const tools = [
    linkTarget(SELECTED),
    "/Library/Developer/CommandLineTools",
    "/Applications/Xcode.app/Contents/Developer",
  ];
  const isThere = tools.some((directory) => directory && exists(join(directory, "usr", "bin", "python3")));
  return isThere
    ? undefined
    : "is only Apple's offer to install its developer tools (xcode-select --install)";
}
