/** Finds the name that was probably meant. */

/** Number of edits between two words: insert, delete or replace a letter, or swap two neighbours. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      );
      const swapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/**
 * The most similar candidate, or undefined when none is similar enough to suggest. Ignores case, and finds a dotted name by
 * its last part alone: `toolMode` finds `python.toolMode`.
 */
export function nearestName(written: string, candidates: readonly string[]): string | undefined {
  // Longer than any real name; bounds the work.
  if (written.length > 100) return undefined;
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const distance = Math.min(
      distanceWithinLimit(written.toLowerCase(), name.toLowerCase()),
      distanceWithinLimit(lastPart(written), lastPart(name)) + 0.5,
    );
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  return best?.name;
}

/** The distance if at most a third of the letters differ (one is always allowed), else infinity. */
function distanceWithinLimit(from: string, to: string): number {
  const distance = editDistance(from, to);
  const limit = Math.max(1, Math.floor(Math.max(from.length, to.length) / 3));
  return distance <= limit ? distance : Number.POSITIVE_INFINITY;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1).toLowerCase();
}
