/** Words for motion and killing: a run of letters, digits and underscores, or a run of other signs; space belongs to no word. */

type Sort = "space" | "word" | "sign";

function sortOf(character: string): Sort {
  if (/\s/u.test(character)) return "space";
  // Marks belong to their letter; code points beyond the letters (emoji) count as signs.
  return /[\p{L}\p{N}\p{M}_]/u.test(character) ? "word" : "sign";
}

function characterAt(text: string, offset: number): string {
  return String.fromCodePoint(text.codePointAt(offset) ?? 0);
}

function characterBefore(text: string, offset: number): string {
  const low = text.charCodeAt(offset - 1);
  const isPair = low >= 0xdc00 && low <= 0xdfff && offset > 1;
  return text.slice(offset - (isPair ? 2 : 1), offset);
}

/** The start of the word before `offset`. */
export function wordStartBefore(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && sortOf(characterBefore(text, at)) === "space") at -= characterBefore(text, at).length;
  if (at === 0) return 0;
  const sort = sortOf(characterBefore(text, at));
  while (at > 0 && sortOf(characterBefore(text, at)) === sort) at -= characterBefore(text, at).length;
  return at;
}

/** The end of the word after `offset`. */
export function wordEndAfter(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && sortOf(characterAt(text, at)) === "space") at += characterAt(text, at).length;
  if (at >= text.length) return text.length;
  const sort = sortOf(characterAt(text, at));
  while (at < text.length && sortOf(characterAt(text, at)) === sort) at += characterAt(text, at).length;
  return at;
}

/** The start of the run of non-space before `offset`: what Ctrl+W takes. */
export function chunkStartBefore(text: string, offset: number): number {
  return offset - (/\S*\s*$/u.exec(text.slice(0, offset))?.[0].length ?? 0);
}
