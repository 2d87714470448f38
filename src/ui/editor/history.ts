/** Earlier inputs: stepping back and forth, and searching backwards. Pure; entries are oldest first, without repeats. */

export interface HistoryPosition {
  /** How many entries back; 0 is the draft. */
  readonly back: number;
  /** What was being written before the history was opened. */
  readonly draft: string;
  /** What is shown now. */
  readonly text: string;
}

/** The next position back (1) or forth (-1), for matches only among entries that start with the draft; undefined at either end. */
export function stepHistory(
  entries: readonly string[],
  { back, draft, text }: HistoryPosition,
  step: 1 | -1,
  { matchesDraft = false }: { readonly matchesDraft?: boolean } = {},
): number | undefined {
  for (let next = back + step; next >= 0 && next <= entries.length; next += step) {
    const entry = entries[entries.length - next] ?? "";
    if (next === 0 || !matchesDraft || (entry !== text && entry.startsWith(draft))) return next;
  }
  return undefined;
}

/** The newest entry before `before` that contains the query. Lower case matches both cases; a capital matches only itself. */
export function searchBack(
  entries: readonly string[],
  query: string,
  before: number = entries.length,
): { readonly index: number; readonly text: string } | undefined {
  if (query === "") return undefined;
  const isExact = query !== query.toLowerCase();
  const index = entries
    .slice(0, before)
    .findLastIndex((text) => (isExact ? text : text.toLowerCase()).includes(query));
  return index === -1 ? undefined : { index, text: entries[index] ?? "" };
}

/** The entries with one more: a repeat moves to the end, the oldest beyond the limit are dropped. */
export function withEntry(entries: readonly string[], text: string, maxEntries: number): string[] {
  return [...entries.filter((entry) => entry !== text), text].slice(-maxEntries);
}
