/**
 * What a project's settings may not do: loosen the limits in the user's own settings, or send the user's secrets elsewhere.
 * Cloning a project must be safe. Plain data; loads nothing.
 */

import { asRecord, type UnknownRecord } from "../protocol/record.ts";
import { ConfigError } from "./errors.ts";

/** From the loosest to the strictest. */
const approvalModes: readonly unknown[] = ["auto", "ask", "read-only"];

const combine: Readonly<Record<string, (own: unknown, project: unknown) => unknown>> = {
  approval: (own, project) => (approvalModes.indexOf(own) > approvalModes.indexOf(project) ? own : project),
  "bash.workingDirectory": (own, project) => (own === "project" ? own : project),
  "bash.deny": (own, project) => [...new Set([...items(own), ...items(project)])],
  gateways: ownNamesFirst,
  endpoints: ownNamesFirst,
};

/** The value in force when both files set the key. */
export function combineValues(key: string, own: unknown, project: unknown): unknown {
  return combine[key]?.(own, project) ?? project;
}

/** Lists of addresses, and the field in which an item asks for one of the user's variables. */
const addressLists = [
  { key: "gateways", what: "gateway", field: "a tokenEnv", name: "tokenEnv", secret: "token" },
  { key: "endpoints", what: "endpoint", field: "an apiKeyEnv", name: "apiKeyEnv", secret: "key" },
] as const;

/** Throws ConfigError if an address from the project asks for a variable of the user's, which may hold any secret. */
export function refuseForeignSecrets(project: UnknownRecord, file: string): void {
  for (const { key, what, field, name, secret } of addressLists) {
    const found = items(project[key]).find((item) => name in asRecord(item));
    if (found === undefined) continue;
    const why = `it would send your ${secret} to the project's address`;
    throw new ConfigError({
      kind: "invalid-value",
      key,
      issue: `the ${what} '${nameOf(found)}' in the project's ${file} may not name ${field}: ${why}; move the ${what} to your own settings`,
    });
  }
}

/** Adds the project's items to the user's; where both use a name, the user's address and secret stay in force. */
function ownNamesFirst(own: unknown, project: unknown): unknown {
  const names = new Set(items(own).map(nameOf));
  return [...items(own), ...items(project).filter((item) => !names.has(nameOf(item)))];
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function nameOf(value: unknown): unknown {
  return asRecord(value)["name"];
}
