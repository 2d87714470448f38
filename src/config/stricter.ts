/**
 * What a project's settings may not do: loosen the limits in the user's own settings, or send the user's code and secrets elsewhere.
 * Cloning a project must be safe. Plain data; loads nothing.
 */

import { asRecord, type UnknownRecord } from "../protocol/record.ts";
import { ConfigError } from "./errors.ts";

/** From the loosest to the strictest. */
const approvalModes: readonly unknown[] = ["auto", "ask", "read-only"];

const sandboxModes: readonly unknown[] = ["off", "workspace", "read-only"];

function stricterOf(modes: readonly unknown[]): (own: unknown, project: unknown) => unknown {
  return (own, project) => (modes.indexOf(own) > modes.indexOf(project) ? own : project);
}

const combine: Readonly<Record<string, (own: unknown, project: unknown) => unknown>> = {
  approval: stricterOf(approvalModes),
  sandbox: stricterOf(sandboxModes),
  "bash.workingDirectory": (own, project) => (own === "project" ? own : project),
  "bash.deny": (own, project) => [...new Set([...items(own), ...items(project)])],
};

/** Where a setting can be stricter than another value of it. */
export const strictKeys: readonly string[] = Object.keys(combine);

/** The value of a dotted key. */
export function settingAt(settings: unknown, key: string): unknown {
  return key.split(".").reduce<unknown>((group, name) => asRecord(group)[name], settings);
}

/** The value in force when both files set the key. */
export function combineValues(key: string, own: unknown, project: unknown): unknown {
  return combine[key]?.(own, project) ?? project;
}

/** What a project that is not trusted may set. */
export function onlyStricter(project: UnknownRecord): UnknownRecord {
  const { deny, workingDirectory } = asRecord(project["bash"]);
  return {
    ...("approval" in project ? { approval: project["approval"] } : {}),
    ...("sandbox" in project ? { sandbox: project["sandbox"] } : {}),
    bash: {
      ...(deny === undefined ? {} : { deny }),
      ...(workingDirectory === "project" ? { workingDirectory } : {}),
    },
  };
}

/** Of settings that nothing has checked, what is valid and makes omp stricter than its defaults. */
export function strictValues(settings: UnknownRecord): UnknownRecord {
  const { approval } = settings;
  const { deny, workingDirectory } = asRecord(settings["bash"]);
  const patterns = items(deny).filter((each) => typeof each === "string" && /\S/.test(each));
  return {
    ...(approvalModes.indexOf(approval) > 0 ? { approval } : {}),
    ...(patterns.length > 0 || workingDirectory === "project"
      ? {
          bash: {
            ...(patterns.length > 0 ? { deny: patterns } : {}),
            ...(workingDirectory === "project" ? { workingDirectory } : {}),
          },
        }
      : {}),
  };
}

/** What even a trusted project may not set, and why. */
export const usersOwn: readonly (readonly [key: string, why: string])[] = [
  ["python.keepState", "it could write your data to disk"],
  ["python.keepStateMb", "it could fill your disk"],
  ["python.keepStateValueMb", "it could fill your disk"],
  ["python.keepStateTimeout", "it could hold up the end of omp"],
  ["python.transport", "it could show what cells print to others"],
  ["environment.pass", "it could show your secrets to programs"],
  ["model", "it could send your conversation elsewhere"],
  ["endpoints", "it could send your conversation and keys elsewhere"],
  ["gateways", "it could send your code and tokens elsewhere"],
  ["mcp.servers", "a project's servers belong in its .mcp.json"],
  ["mcp.sandbox", "it could leave the sandbox"],
  ["bridge.existingKernels", "it could change kernels that are not omp's"],
  ["bridge.maxCostUsd", "it could spend your money"],
  ["bash.allow", "it could allow commands that you have not"],
  ["sandboxAllow.paths", "it could leave the sandbox"],
  ["sandboxAllow.hosts", "it could leave the sandbox"],
];

/** Throws ConfigError when the project sets something that is only for the user to set. */
export function refuseUsersOwn(project: UnknownRecord, file: string): void {
  for (const [key, why] of usersOwn) {
    if (settingAt(project, key) === undefined) continue;
    const issue = `the project's ${file} may not set '${key}': ${why}; move it to your own settings`;
    throw new ConfigError({ kind: "invalid-value", key, issue });
  }
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
