/** As many lines from the start as fit into a result. Pure. */

/** What the model gets to see of any list. */
export const maxListChars = 30_000;

export function fittingLines(lines: readonly string[]): string[] {
  let chars = 0;
  const end = lines.findIndex((line) => {
    chars += line.length + 1;
    return chars > maxListChars;
  });
  return end === -1 ? [...lines] : lines.slice(0, end);
}
