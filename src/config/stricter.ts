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
  ["gateways", ownNamesFirst],
  ["endpoints", ownNamesFirst],
  ["bash.deny", (own: unknown, project: unknown) => [...new Set([...items(own), ...items(project)])]],
]);

/** The value that holds when both files have the key. */
export function holdingValue(key: string, own: unknown, project: unknown): unknown {
  return combine.get(key)?.(own, project) ?? project;
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Lists of addresses, and the field in which an item asks for one of the user's variables. */
const secretFields = { gateways: "tokenEnv", endpoints: "apiKeyEnv" } as const;

export interface AskedSecret {
  readonly key: keyof typeof secretFields;
  readonly field: string;
  /** Of the item. */
  readonly name: string;
}

/**
 * The first address in a project's settings that would get a variable of the user's: the variable may hold the secret of quite
 * another place.
 */
export function askedSecret(project: Readonly<Record<string, unknown>>): AskedSecret | undefined {
  for (const key of ["gateways", "endpoints"] as const) {
    const field = secretFields[key];
    const found = items(project[key]).find(
      (item) => typeof item === "object" && item !== null && field in item,
    );
    if (found !== undefined) return { key, field, name: String(nameOf(found)) };
  }
  return undefined;
}

/** Those of the project are added; under a name of the user's own, the user's address and secret hold. */
function ownNamesFirst(own: unknown, project: unknown): unknown {
  const names = new Set(items(own).map(nameOf));
  return [...items(own), ...items(project).filter((item) => !names.has(nameOf(item)))];
}

function nameOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "name" in value ? value.name : undefined;
}
