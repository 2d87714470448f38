/** Sets of UTF-16 units as sorted ranges. */

export type CharSet = readonly (readonly [number, number])[];

const highest = 0xffff;

export function charSet(ranges: CharSet): CharSet {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function complement(set: CharSet): CharSet {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= highest) gaps.push([next, highest]);
  return gaps;
}

export function contains(set: CharSet, code: number): boolean {
  return set.some(([from, to]) => code >= from && code <= to);
}

const of = (...texts: string[]): CharSet =>
  charSet(texts.map((text): [number, number] => [text.charCodeAt(0), text.charCodeAt(text.length - 1)]));

const digit = of("09");
const word = of("09", "AZ", "az", "_");
const space = charSet([
  ...of(
    "\t\r",
    " ",
    "\u00a0",
    "\u1680",
    "\u2000\u200a",
    "\u2028\u2029",
    "\u202f",
    "\u205f",
    "\u3000",
    "\ufeff",
  ),
]);
const upper = of("AZ");
const lower = of("az");

export const classes: Readonly<Record<string, CharSet>> & { readonly any: CharSet } = {
  any: complement(of("\n")),
  d: digit,
  D: complement(digit),
  w: word,
  W: complement(word),
  s: space,
  S: complement(space),
  ":digit:": digit,
  ":alpha:": of("AZ", "az"),
  ":alnum:": of("09", "AZ", "az"),
  ":upper:": upper,
  ":lower:": lower,
  ":space:": space,
  ":blank:": of(" ", "\t"),
  ":punct:": of("!/", ":@", "[`", "{~"),
  ":xdigit:": of("09", "AF", "af"),
};

export function isWordUnit(code: number): boolean {
  return contains(word, code);
}
