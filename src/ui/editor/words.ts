/** Words for motion and killing: a run of letters, digits and underscores, or a run of other characters; spaces belong to no word. */

// Combining marks belong to their letter; emoji count as other characters.
const WORDS = /[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]+/gu;

export function wordStartBefore(text: string, offset: number): number {
  return text
    .slice(0, offset)
    .matchAll(WORDS)
    .reduce((_, { index }) => index, 0);
}

export function wordEndAfter(text: string, offset: number): number {
  for (const { index, 0: word } of text.slice(offset).matchAll(WORDS)) return offset + index + word.length;
  return text.length;
}

/** The start of the run of non-space before `offset`: what Ctrl+W deletes. */
export function chunkStartBefore(text: string, offset: number): number {
  return offset - (/\S*\s*$/u.exec(text.slice(0, offset))?.[0].length ?? 0);
}
