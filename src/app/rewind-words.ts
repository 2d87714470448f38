/** How a return is described to people, on the screen and by `omp sessions rewind`. */

import { count } from "../format/numbers.ts";
import type { VariableChanges } from "../protocol/time.ts";
import type { Change } from "../worktree/changes.ts";
import { notCoveredText } from "./not-covered.ts";
import type { FilesPreview, RewindPreview, VariablesPreview } from "./rewind.ts";

/** `2 files, +12 -4`. */
export function changesText(changes: readonly Change[]): string {
  if (changes.length === 0) return "no file would change";
  const sum = (numbers: readonly (number | undefined)[]) =>
    numbers.reduce<number>((total, each) => total + (each ?? 0), 0);
  const added = sum(changes.map((change) => change.added));
  const removed = sum(changes.map((change) => change.removed));
  return `${count(changes.length, "file")}, +${added} -${removed}`;
}

const signs = { added: "+", removed: "-", changed: "~" } as const;
const MOST_LINES = 40;

/** `~ src/a.py  +2 -1`, a line a file. */
export function changeLines(changes: readonly Change[], most = MOST_LINES): string[] {
  const lines = changes.slice(0, most).map(({ name, kind, added, removed }) => {
    const isDirectory = name.endsWith("/");
    const lines = isDirectory
      ? "empty directory"
      : added === undefined
        ? "not text"
        : `+${added} -${removed ?? 0}`;
    return `${signs[kind]} ${oneLine(name)}  ${lines}`;
  });
  const more = changes.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** The names alone, as many as fit: `a.py, b.py and 3 more`. */
export function someNames(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).map(oneLine).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

export function droppedText({ dropped, again, isUndo }: RewindPreview): string {
  const calls = dropped.calls === 0 ? "" : ` and ${count(dropped.calls, "call")}`;
  const left = `${count(dropped.prompts, "prompt")}${calls} left out`;
  if (!isUndo) return left;
  if (again.length === 0) return "stays as it is";
  const back = "what was left out is there again";
  return dropped.prompts === 0 ? back : `${back}, ${left}`;
}

const NONE: VariableChanges = { added: [], removed: [], changed: [], unknown: [] };
type KnownVariables = Extract<VariablesPreview, { readonly kind: "known" }>;

/** `x, y gone; df as before; without the thread Worker`. */
export function variablesText({ changes, notHeld, noUndo }: KnownVariables): string {
  const { added, removed, changed, unknown } = changes ?? NONE;
  const parts = [
    ...(changes === undefined ? ["as they were then"] : []),
    ...(added.length > 0 ? [`${someNames(added)} gone`] : []),
    ...(removed.length > 0 ? [`${someNames(removed)} back`] : []),
    ...(changed.length > 0 ? [`${someNames(changed)} as before`] : []),
    ...(unknown.length > 0 ? [`${someNames(unknown)} perhaps`] : []),
    ...(notHeld.length > 0 ? [`without ${someNames(notHeld, 2)}`] : []),
    ...(noUndo === undefined ? [] : [`cannot be undone: ${noUndo}`]),
  ];
  return parts.length === 0 ? "no variable would change" : parts.join("; ");
}

/** All names, a line a kind. */
export function variableLines(variables: VariablesPreview): string[] {
  if (variables.kind === "impossible") return [];
  const { added, removed, changed, unknown } = variables.changes ?? NONE;
  const line = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${what}: ${someNames(names, names.length)}`];
  return [
    ...line("variables that would be gone", added),
    ...line("variables that would be back", removed),
    ...line("variables that would be as before", changed),
    ...line("variables that may change", unknown),
  ];
}

/** What no return reaches. @param more clauses about this one. */
export function leftText(more: readonly string[]): string {
  const always = ["what was sent over the network", "other directories", "processes", "ignored files"];
  return `Not taken back: ${[...always, ...more].join(", ")}.`;
}

/** The clauses about files that no snapshot has; those that are named anyway are left out. */
export function notCoveredClauses(
  files: FilesPreview,
  left: readonly { readonly name: string }[] = [],
): string[] {
  if (files.kind === "impossible") return [];
  const rest = files.notCovered.filter(({ name }) => !left.some((each) => each.name === name));
  return rest.length === 0 ? [] : [oneLine(notCoveredText(rest))];
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
