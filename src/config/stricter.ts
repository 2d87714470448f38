/**
 * Settings that a project's file may tighten and not loosen: whoever clones a project must not lose the limits that he has
 * set himself. Plain data; loads nothing.
 */

const modes: readonly unknown[] = ["auto", "ask", "read-only"];

const combine: ReadonlyMap<string, (own: unknown, project: unknown) => unknown> = new Map([
  [
    "approval",
    (own: unknown, project: unknown) => (modes.indexOf(own) > modes.indexOf(project) ? own : project),
  ],
  ["bash.workingDirectory", (own: unknown, project: unknown) => (own === "project" ? own : project)],
  ["bash.deny", (own: unknown, project: unknown) => [...new Set([...items(own), ...items(project)])]],
]);

/** The value that holds when both files have the key. */
export function holdingValue(key: string, own: unknown, project: unknown): unknown {
  return combine.get(key)?.(own, project) ?? project;
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
