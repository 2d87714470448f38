/** Where a text almost is: the lines that come closest to one that was not found, and how they differ. Pure. */

export interface NearMiss {
  /** From 1. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly differsIn: "whitespace" | "quotes or dashes" | "text";
  /** The lines that differ: `-` as it was asked for, `+` as the file has it. */
  readonly differences: readonly string[];
}

/** A longer text is not searched: its lines would take several times its size in memory, and the hint is not worth the wait. */
const MAX_TEXT_CHARS = 10_000_000;
/** A file with more lines is compared only by whole lines. */
const MOST_COMPARED_LINES = 50_000;
const LEAST_SIMILARITY = 0.5;
const MOST_DIFFERENCES = 12;
const MOST_REPEATS = 20;
const MAX_LINE_CHARS = 300;

export function findNearMiss(text: string, wanted: string): NearMiss | undefined {
  if (text.length > MAX_TEXT_CHARS) return undefined;
  const lines = text.split("\n");
  const asked = wanted.replace(/^(?:[^\S\n]*\n)+|(?:\n[^\S\n]*)+$/g, "").split("\n");
  const first = byEqualLines(lines, asked) ?? bySimilarLine(lines, asked);
  if (first === undefined) return undefined;
  const last = Math.min(first + asked.length, lines.length) - 1;
  const pairs = asked
    .map((line, index) => ({ line, actual: lines[first + index] }))
    .filter(({ line, actual }) => line !== actual && !(asked.length === 1 && actual?.includes(line)));
  return {
    firstLine: first + 1,
    lastLine: last + 1,
    differsIn: kindOf(pairs),
    differences: pairs
      .flatMap(({ line, actual }) => [
        `-${shorten(line)}`,
        ...(actual === undefined ? [] : [`+${shorten(actual)}`]),
      ])
      .slice(0, MOST_DIFFERENCES),
  };
}

/** Every line that both have, but for spaces and quotes, votes for the position of the rest. */
function byEqualLines(lines: readonly string[], asked: readonly string[]): number | undefined {
  const wanted = new Map<string, number[]>();
  for (const [index, line] of asked.entries()) {
    const key = looseForm(line);
    const known = wanted.get(key) ?? [];
    // A line that is everywhere, such as a bracket, says nothing about the position.
    if (key !== "" && known.length < MOST_REPEATS) wanted.set(key, [...known, index]);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const key = looseForm(line);
    for (const at of wanted.get(key) ?? []) {
      // A long line says more about the position than a bracket does.
      if (index >= at) votes.set(index - at, (votes.get(index - at) ?? 0) + Math.min(key.length, 40));
    }
  }
  const [best] = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return best === undefined || best[1] < 4 ? undefined : best[0];
}

function bySimilarLine(lines: readonly string[], asked: readonly string[]): number | undefined {
  if (lines.length > MOST_COMPARED_LINES) return undefined;
  const keys = asked.map(looseForm);
  const longest = keys.reduce(
    (best, key, index) => (key.length > (keys[best] ?? "").length ? index : best),
    0,
  );
  const key = keys[longest] ?? "";
  if (key.length < 3) return undefined;
  const pairs = bigrams(key);
  let best: { index: number; score: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const form = looseForm(line);
    const score = asked.length === 1 && form.includes(key) ? 1 : similarity(pairs, key.length, form);
    if (score >= LEAST_SIMILARITY && score > (best?.score ?? 0)) best = { index, score };
  }
  return best === undefined ? undefined : Math.max(0, best.index - longest);
}

/** Dice's coefficient over pairs of characters. */
function similarity(pairs: ReadonlyMap<string, number>, length: number, other: string): number {
  if (other.length < length / 3 || other.length > length * 3) return 0;
  const left = new Map(pairs);
  let shared = 0;
  for (let at = 0; at + 1 < other.length; at++) {
    const pair = other.slice(at, at + 2);
    const count = left.get(pair) ?? 0;
    if (count === 0) continue;
    left.set(pair, count - 1);
    shared++;
  }
  return (2 * shared) / Math.max(1, length - 1 + other.length - 1);
}

function bigrams(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function kindOf(pairs: readonly { line: string; actual: string | undefined }[]): NearMiss["differsIn"] {
  const all = (form: (text: string) => string) =>
    pairs.every(({ line, actual }) => actual !== undefined && includesForm(form(actual), form(line)));
  if (all((text) => text.replace(/\s+/g, ""))) return "whitespace";
  return all(looseForm) ? "quotes or dashes" : "text";
}

function includesForm(actual: string, line: string): boolean {
  return actual === line || (line !== "" && actual.includes(line));
}

/** Without white space, and with the plain form of what editors and models like to make typographic. */
function looseForm(line: string): string {
  return line
    .replace(/\s+/g, "")
    .replace(/[‘’‚‛′`"“”„″]/g, "'")
    .replace(/[‐‑‒–—−]/g, "-")
    .replaceAll("…", "...");
}

function shorten(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : line;
}
