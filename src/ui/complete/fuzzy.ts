/**
 * How well a few typed letters fit a name: they must occur in order; they count for more at the start of a word, after a slash, side by
 * side, and in the last part of a path. Small letters match both cases, a capital only itself. Exact (it finds the best position of every
 * letter) and therefore for short lists and for the best of a long one; `PathTable` does the first rough pass over many paths.
 */

export const points = {
  match: 16,
  adjacent: 12,
  /** First letter of the name, or of its last path segment. */
  nameStart: 20,
  afterSlash: 14,
  afterSymbol: 12,
  camel: 10,
  inBasename: 6,
  /** Last letter of a word: `file-7` means file-7 before file-70. */
  wordEnd: 3,
  gapStart: -4,
  gap: -1,
} as const;

const NEVER = -1_000_000;

/** Undefined when the letters do not occur in this order. An empty query matches everything with a score of 0. */
export function fuzzyScore(query: string, candidate: string): number | undefined {
  if (query === "") return 0;
  const isExact = query !== query.toLowerCase();
  const hay = isExact ? candidate : toLowerCaseInPlace(candidate);
  return occursInOrder(query, hay) ? align(query, hay, bonusesOf(candidate)) : undefined;
}

/** Lower case that never changes a string's length, so that offsets stay true (İ would become two). */
function toLowerCaseInPlace(text: string): string {
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

/** The best score of all ways to place the letters, letter by letter: `scores[column]` is the best with this letter at that column. */
function align(needle: string, hay: string, bonuses: Int32Array): number {
  let before = new Int32Array(hay.length);
  let scores = new Int32Array(hay.length);
  for (let row = 0; row < needle.length; row++) {
    [before, scores] = [scores, before];
    // The best with the letter before this one two or more columns back, the gap paid.
    let apart = NEVER;
    for (let column = 0; column < hay.length; column++) {
      if (row > 0 && column > 1) {
        apart = Math.max(apart + points.gap, (before[column - 2] ?? NEVER) + points.gapStart);
      }
      if (hay[column] !== needle[row] || column < row) {
        scores[column] = NEVER;
        continue;
      }
      const adjacent = column > 0 ? (before[column - 1] ?? NEVER) + points.adjacent : NEVER;
      const earlier = row === 0 ? 0 : Math.max(adjacent, apart);
      scores[column] = points.match + (bonuses[column] ?? 0) + earlier;
    }
  }
  return scores.reduce((best, score) => Math.max(best, score), NEVER);
}

const SLASH = 0x2f;
const isSymbol = Uint8Array.from({ length: 128 }, (_, code) =>
  "-_. /".includes(String.fromCharCode(code)) ? 1 : 0,
);

/** What a match at each position is worth beyond the match itself. */
function bonusesOf(candidate: string): Int32Array {
  const bonuses = new Int32Array(candidate.length);
  const last = candidate.length - 1;
  const basename = candidate.lastIndexOf("/", candidate.charCodeAt(last) === SLASH ? last - 1 : last) + 1;
  let before = SLASH;
  for (let at = 0; at <= last; at++) {
    const here = candidate.charCodeAt(at);
    let bonus = at >= basename ? points.inBasename : 0;
    if (at === basename) bonus += points.nameStart;
    else if (before === SLASH) bonus += points.afterSlash;
    else if (isSymbol[before] === 1) bonus += points.afterSymbol;
    else if (isCapital(here) && !isCapital(before)) bonus += points.camel;
    if (at === last || isSymbol[candidate.charCodeAt(at + 1)] === 1) bonus += points.wordEnd;
    bonuses[at] = bonus;
    before = here;
  }
  return bonuses;
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

/** The items that match, best first; of equal ones shorter names before longer ones, then in their own order. */
export function rank<T>(query: string, items: readonly T[], nameOf: (item: T) => string): T[] {
  const ranked = items.flatMap((item) => {
    const score = fuzzyScore(query, nameOf(item));
    return score === undefined ? [] : [{ item, score }];
  });
  if (query !== "") {
    ranked.sort((a, b) => b.score - a.score || nameOf(a.item).length - nameOf(b.item).length);
  }
  return ranked.map(({ item }) => item);
}
