/**
 * Whoever had the terminal may have left the cursor anywhere, in the middle of a line of their own, and a frame that begins there has
 * its first line broken, so that every later change of it is drawn a row too high.
 */

/**
 * To the first column of a line that nobody has written in, wherever the cursor stands: as many spaces as a line has end in the next
 * one unless they began in the first column.
 */
export function freshLine(columns: number): string {
  return `${" ".repeat(columns)}\r`;
}
