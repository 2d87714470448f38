/** Where to cut a text: exact limits, at a line's start where there is one, never inside a character. */

import { isContinuation, isLowSurrogate } from "./utf8.ts";

export interface TailLimits {
  readonly maxChars: number;
  readonly maxLines: number;
}

/**
 * The last `maxLines` lines of at most `maxChars` characters. `text` may be the end of a longer one: with one character
 * more than `maxChars` the result is the same. `start` is the index of the first character that is kept; `partialLine`: the
 * text is the end of one line that is longer than the limit.
 */
export function cutTail(text: string, limits: TailLimits) {
  let start = Math.max(0, text.length - limits.maxChars);
  let partialLine = false;
  if (start > 0 && text[start - 1] !== "\n") {
    const lineEnd = text.indexOf("\n", start);
    partialLine = lineEnd === -1 || lineEnd === text.length - 1;
    if (!partialLine) start = lineEnd + 1;
    else if (isLowSurrogate(text.charCodeAt(start))) start++;
  }
  // Backwards from the end, a final newline belonging to the line that it ends.
  let lines = 0;
  let lineStart = text.length;
  while (lines < limits.maxLines && lineStart > start) {
    lineStart = lineStart === 1 ? 0 : Math.max(start, text.lastIndexOf("\n", lineStart - 2) + 1);
    lines++;
  }
  return { start: lineStart, lines, partialLine };
}

/** At most the first `maxBytes` of UTF-8. A line's end is taken where it costs no more than half of what may be kept. */
export function cutHeadBytes(text: Buffer, maxBytes: number): Buffer {
  let end = Math.min(maxBytes, text.length);
  while (end > 0 && isContinuation(text[end])) end--;
  const boundary = text.subarray(0, end).lastIndexOf("\n") + 1;
  return text.subarray(0, boundary * 2 >= maxBytes ? boundary : end);
}

/** At most the last `maxBytes`, in the same way. */
export function cutTailBytes(text: Buffer, maxBytes: number): Buffer {
  let start = Math.max(0, text.length - maxBytes);
  while (isContinuation(text[start])) start++;
  if (start === 0 || text[start - 1] === 0x0a) return text.subarray(start);
  const boundary = text.indexOf("\n", start) + 1;
  const isNear = boundary > 0 && (text.length - boundary) * 2 >= maxBytes;
  return text.subarray(isNear ? boundary : start);
}
