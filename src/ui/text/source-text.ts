/**
 * Code, commands and paths as they will be run: what a terminal would act on or hide is made visible, `␍ ␛ <U+202E> <U+200B>`. Output
 * is shown as a terminal would show it; a question about `touch x #\rls` must show all of it.
 */

/**
 * Controls, format characters (bidirectional overrides, zero width), private characters, letters without a shape (fillers, variation
 * selectors other than an emoji's), and spaces that are none for a shell.
 */
const HIDDEN =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** Joins emoji to one, and hides nothing. */
const EMOJI_JOINER = /(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu;
const JOINER_MARK = "\ufdd0";
const TAB = "    ";

export function sourceText(source: string): string {
  return source.replace(EMOJI_JOINER, JOINER_MARK).replace(HIDDEN, visible).replaceAll(JOINER_MARK, "\u200d");
}

/** In one line. */
export function sourceLine(source: string): string {
  return sourceText(source).replaceAll("\n", "␊");
}

function visible(character: string): string {
  if (character === "\n") return character;
  if (character === "\t") return TAB;
  const code = character.codePointAt(0) ?? 0;
  // Unicode has pictures of these controls, in the same order.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
