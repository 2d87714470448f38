/**
 * Settings that a project's file may tighten and not loosen: whoever clones a project must not lose the limits that he has
 * set himself, nor send his secrets elsewhere. Plain data; loads nothing.
 */

const modes: readonly unknown[] = ["auto", "ask", "read-only"];

const combine: ReadonlyMap<string, (own: unknown, project: unknown) => unknown> = new Map([
  [
    "approval",
    (own: unknown, project: unknown) => (modes.indexOf(own) > modes.indexOf(project) ? own : project),
  ],
  ["bash.workingDirectory", (own: unknown, project: unknown) => (own === "project" ? own : project)],
  ["gateways", ownGatewaysFirst],
  ["bash.deny", (own: unknown, project: unknown) => [...new Set([...items(own), ...items(project)])]],
]);

/** The value that holds when both files have the key. */
export function holdingValue(key: string, own: unknown, project: unknown): unknown {
  return combine.get(key)?.(own, project) ?? project;
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The first of a project's gateways that asks for one of the user's variables. */
export function namesSecretOfUser(gateways: unknown): string | undefined {
  const found = items(gateways).find(
    (item) => typeof item === "object" && item !== null && "tokenEnv" in item,
  );
  return found === undefined ? undefined : String(nameOf(found));
}

/** Those of the project are added; under a name of the user's own, the user's address and token hold. */
function ownGatewaysFirst(own: unknown, project: unknown): unknown {
  const names = new Set(items(own).map(nameOf));
  return [...items(own), ...items(project).filter((gateway) => !names.has(nameOf(gateway)))];
}

function nameOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "name" in value ? value.name : undefined;
}
