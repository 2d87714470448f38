/**
 * Earlier inputs: stepping back and forth, by prefix too, and searching backwards. Pure; where the entries come from is history-file's
 * business. Entries are oldest first, without repeats.
 */

/** Where someone is in the history; `draft` is what they had typed before they went there. */
export interface HistoryPosition {
  readonly index: number;
  readonly draft: string;
}

export interface HistoryStep {
  readonly position: HistoryPosition | undefined;
  readonly text: string;
}

export interface StepOptions {
  readonly entries: readonly string[];
  /** Undefined while the draft itself is shown. */
  readonly position: HistoryPosition | undefined;
  readonly text: string;
  /** Only entries that begin with the draft. */
  readonly matchesPrefix?: boolean;
}

/** One entry back; undefined at the oldest one. */
export function olderEntry({
  entries,
  position,
  text,
  matchesPrefix = false,
}: StepOptions): HistoryStep | undefined {
  const draft = position?.draft ?? text;
  for (let index = (position?.index ?? entries.length) - 1; index >= 0; index--) {
    const entry = entries[index] ?? "";
    if (entry !== text && (!matchesPrefix || entry.startsWith(draft)))
      return { position: { index, draft }, text: entry };
  }
  return undefined;
}

/** One entry forward, and in the end the draft again; undefined when the draft is already shown. */
export function newerEntry({
  entries,
  position,
  text,
  matchesPrefix = false,
}: StepOptions): HistoryStep | undefined {
  if (position === undefined) return undefined;
  const { draft } = position;
  for (let index = position.index + 1; index < entries.length; index++) {
    const entry = entries[index] ?? "";
    if (entry !== text && (!matchesPrefix || entry.startsWith(draft)))
      return { position: { index, draft }, text: entry };
  }
  return { position: undefined, text: draft };
}

export interface HistoryMatch {
  readonly index: number;
  readonly text: string;
  /** Where the query stands in the text. */
  readonly at: number;
}

/** The newest entry before `before` with the query in it. Small letters match both; a capital matches only itself. */
export function searchBack(
  entries: readonly string[],
  query: string,
  before: number = entries.length,
): HistoryMatch | undefined {
  if (query === "") return undefined;
  const isExact = query !== query.toLowerCase();
  for (let index = Math.min(before, entries.length) - 1; index >= 0; index--) {
    const text = entries[index] ?? "";
    const at = isExact ? text.indexOf(query) : text.toLowerCase().indexOf(query);
    if (at !== -1) return { index, text, at };
  }
  return undefined;
}

/** The entries with one more: a repeat moves to the end, the oldest beyond the limit go. */
export function withEntry(entries: readonly string[], text: string, maxEntries: number): string[] {
  return [...entries.filter((entry) => entry !== text), text].slice(-maxEntries);
}
