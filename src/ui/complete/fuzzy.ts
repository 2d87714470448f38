/**
 * How well a few typed letters fit a name: they must occur in order; they count for more at the start of a word, after a slash, side by
 * side, and in the last part of a path. Small letters match both cases, a capital only itself. Exact (it finds the best place of every
 * letter) and therefore for short lists and for the best of a long one; `PathTable` does the first rough pass over many paths.
 */

export interface FuzzyMatch {
  readonly score: number;
  /** UTF-16 offsets of the letters that matched, for highlighting. */
  readonly positions: readonly number[];
}

export const points = {
  match: 16,
  adjacent: 12,
  /** First letter of the name, or of its last path segment. */
  nameStart: 20,
  afterSlash: 14,
  afterSign: 12,
  camel: 10,
  inBasename: 6,
  /** Last letter of a word: `file-7` means file-7 before file-70. */
  wordEnd: 3,
  gapStart: -4,
  gap: -1,
} as const;

const never = -1_000_000;

/** Undefined when the letters do not occur in this order. An empty query matches everything with a score of 0. */
export function fuzzyMatch(query: string, candidate: string): FuzzyMatch | undefined {
  if (query === "") return { score: 0, positions: [] };
  const isExact = query !== query.toLowerCase();
  const needle = query;
  const hay = isExact ? candidate : folded(candidate);
  if (!occursInOrder(needle, hay)) return undefined;
  return align(needle, hay, candidate);
}

/** Lower case that never changes a string's length, so that offsets stay true (İ would become two). */
function folded(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, at) => {
    const one = text.charAt(at).toLowerCase();
    return one.length === 1 ? one : text.charAt(at);
  }).join("");
}

function occursInOrder(needle: string, hay: string): boolean {
  let from = 0;
  for (let at = 0; at < needle.length; at++) {
    from = hay.indexOf(needle.charAt(at), from) + 1;
    if (from === 0) return false;
  }
  return true;
}

/**
 * best[i][j]: the best score of the first i+1 letters with the last of them at j. A table of query × candidate; the row before is kept in
 * two values: the best so far (gaps paid), and the neighbour.
 */
function align(needle: string, hay: string, candidate: string): FuzzyMatch {
  const width = hay.length;
  const best = new Int32Array(needle.length * width).fill(never);
  const cameFrom = new Int32Array(needle.length * width).fill(-1);
  const bonuses = bonusesOf(candidate);
  for (let row = 0; row < needle.length; row++) {
    let reach = never;
    let reachFrom = -1;
    for (let column = row; column < width; column++) {
      const above = (row - 1) * width + column - 1;
      if (row > 0 && column > 1) {
        // The letter before this one, two or more columns back.
        reach += points.gap;
        const opened = (best[above - 1] ?? never) + points.gapStart;
        if (opened > reach) {
          reach = opened;
          reachFrom = column - 2;
        }
      }
      if (hay[column] !== needle[row]) continue;
      const here = points.match + (bonuses[column] ?? 0);
      const at = row * width + column;
      if (row === 0) {
        best[at] = here;
        continue;
      }
      const adjacent = column > 0 ? (best[above] ?? never) + points.adjacent : never;
      best[at] = here + Math.max(adjacent, reach);
      cameFrom[at] = adjacent >= reach ? column - 1 : reachFrom;
    }
  }
  return traceBack(best, cameFrom, needle.length, width);
}

function traceBack(best: Int32Array, cameFrom: Int32Array, rows: number, width: number): FuzzyMatch {
  const last = (rows - 1) * width;
  let column = 0;
  for (let at = 1; at < width; at++) {
    if ((best[last + at] ?? never) > (best[last + column] ?? never)) column = at;
  }
  const score = best[last + column] ?? never;
  const positions: number[] = [];
  for (let row = rows - 1; row >= 0; row--) {
    positions.push(column);
    column = cameFrom[row * width + column] ?? 0;
  }
  return { score, positions: positions.reverse() };
}

const slash = 0x2f;
const isSign = Uint8Array.from({ length: 128 }, (_, code) =>
  "-_. /".includes(String.fromCharCode(code)) ? 1 : 0,
);

/** What a match at each place is worth beyond the match itself. */
function bonusesOf(candidate: string): Int32Array {
  const bonuses = new Int32Array(candidate.length);
  const last = candidate.length - 1;
  const basename = candidate.lastIndexOf("/", candidate.charCodeAt(last) === slash ? last - 1 : last) + 1;
  let before = slash;
  for (let at = 0; at <= last; at++) {
    const here = candidate.charCodeAt(at);
    let bonus = at >= basename ? points.inBasename : 0;
    if (at === basename) bonus += points.nameStart;
    else if (before === slash) bonus += points.afterSlash;
    else if (isSign[before] === 1) bonus += points.afterSign;
    else if (isCapital(here) && !isCapital(before)) bonus += points.camel;
    if (at === last || isSign[candidate.charCodeAt(at + 1)] === 1) bonus += points.wordEnd;
    bonuses[at] = bonus;
    before = here;
  }
  return bonuses;
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

export interface Ranked<T> {
  readonly item: T;
  readonly match: FuzzyMatch;
}

/** The items that match, best first; equals keep their order, shorter names before longer ones. */
export function rank<T>(query: string, items: readonly T[], nameOf: (item: T) => string): Ranked<T>[] {
  const ranked: Ranked<T>[] = [];
  for (const item of items) {
    const match = fuzzyMatch(query, nameOf(item));
    if (match !== undefined) ranked.push({ item, match });
  }
  if (query === "") return ranked;
  return ranked.sort(
    (a, b) => b.match.score - a.match.score || nameOf(a.item).length - nameOf(b.item).length,
  );
}
