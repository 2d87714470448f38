/**
 * The lines of a frame in fewer bytes, for slow connections. Output is dimmed line by line, so each line switches the same colour on and off;
 * a line below one of the same colour leaves it on. Only the colour of letters: a background would be erased into the rest of the line.
 */

/** How Ink starts a line that it writes anew, below another. */
const TO_FIRST_COLUMN = "\x1b[1G";
const COLOUR = String.raw`\x1b\[38;[\d;]+m`;
const TEXT = String.raw`[^\x1b]*`;
const NEXT_LINE = String.raw`\n\r\x1b\[K *`;
/** Lines of one colour, each with the colour on and off. */
const SAME_COLOUR = new RegExp(String.raw`(${COLOUR})${TEXT}(?:\x1b\[39m${NEXT_LINE}\1${TEXT})+`, "g");
const OFF_AND_ON = new RegExp(String.raw`\x1b\[39m(${NEXT_LINE})${COLOUR}`, "g");

export function inFewerBytes(frame: string): string {
  return frame
    .replaceAll(TO_FIRST_COLUMN, "\r")
    .replace(SAME_COLOUR, (lines) => lines.replace(OFF_AND_ON, "$1"));
}
