/**
 * Lines that each start and end their own styles, so that every line can be cut, indented or scrolled to. Bun's `wrapAnsi` does this only
 * for the 16 colours and for one style at a time.
 */

const SEQUENCE = /\p{Cc}\[([\d;]*)m/gu;

/** The code that ends a style, by the first number of the style. */
function closerOf(code: number): number | undefined {
  if (code === 1 || code === 2) return 22;
  if (code === 3 || code === 4 || code === 7 || code === 9) return code + 20;
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 39;
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return 49;
  return undefined;
}

const closers = new Set([22, 23, 24, 27, 29, 39, 49]);

/** Open styles in order, by the sequence that opened them. */
type Open = readonly { readonly opener: string; readonly closer: number }[];

function applyStyle(open: Open, parameters: string): Open {
  const code = Number(parameters.split(";")[0] || "0");
  if (code === 0) return [];
  if (closers.has(code)) return open.filter(({ closer }) => closer !== code);
  const closer = closerOf(code);
  if (closer === undefined) return open;
  const opener = `\x1b[${parameters}m`;
  // A colour replaces the colour before it; bold and dim combine.
  const others =
    closer === 22
      ? open.filter((style) => style.opener !== opener)
      : open.filter((style) => style.closer !== closer);
  return [...others, { opener, closer }];
}

export function standaloneLines(lines: readonly string[]): string[] {
  let open: Open = [];
  return lines.map((line) => {
    const begin = open.map(({ opener }) => opener).join("");
    if (line.includes("\x1b["))
      for (const match of line.matchAll(SEQUENCE)) open = applyStyle(open, match[1] ?? "");
    // An empty line needs no styles.
    if (line === "") return line;
    const ends = [...new Set(open.map(({ closer }) => closer))].reverse();
    return `${begin}${line}${ends.map((closer) => `\x1b[${closer}m`).join("")}`;
  });
}
