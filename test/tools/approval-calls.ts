/** What the tests of approval share: rules of nobody in particular, and a call of `bash`. */

import {
  type ApprovalMode,
  type ApprovalRules,
  type Decision,
  decide,
} from "../../src/tools/approval/decide.ts";
import type { Grants } from "../../src/tools/approval/grants.ts";

export const rules: ApprovalRules = {
  home: "/home/ann",
  projectRoot: "/home/ann/project",
  allow: [],
  deny: [],
  workingDirectory: "any",
};

export function named(name: string, { readOnly = false } = {}) {
  return { name, readOnly, summary: () => `${name} it` };
}

export function decideBash(
  command: string,
  options: { mode?: ApprovalMode; rules?: Partial<ApprovalRules>; grants?: Grants; cwd?: string } = {},
): Promise<Decision> {
  return decide({
    mode: options.mode ?? "auto",
    tool: named("bash"),
    input: { command },
    cwd: options.cwd ?? "/home/ann/project",
    rules: { ...rules, ...options.rules },
    grants: options.grants,
  });
}

export const run = { decision: "run" } as const;
