/** A traceback as the user's code makes it: without the frames of our own code inside the kernel, and without what those called. */

import { count } from "../../format/numbers.ts";

export function keepUserFrames(traceback: readonly string[]): string[] {
  let isBelowOurs = false;
  return traceback.filter((part) => {
    const text = Bun.stripANSI(part).trimStart();
    // Anything but a frame begins a new part: the error itself, or another error that it was the cause of.
    if (!/^(File |Cell In)/.test(text)) isBelowOurs = false;
    else if (/^File <omp \w+\.py>/.test(text)) isBelowOurs = true;
    return !isBelowOurs;
  });
}

/** Shorter ones stay as they are. */
const MOST_PARTS = 100;
/** At each end of one that is too long. */
const SHOWN_PARTS = 8;

/** The ends of an endless recursion, whose frames say the same again and again. Our own kernels shorten it themselves. */
export function collapseFrames(traceback: readonly string[]): string[] {
  const middle = traceback.slice(SHOWN_PARTS, -SHOWN_PARTS);
  if (traceback.length <= MOST_PARTS || new Set(middle).size > middle.length / 4) return [...traceback];
  const note = `[… ${count(middle.length, "similar frame")} left out …]\n`;
  return [...traceback.slice(0, SHOWN_PARTS), note, ...traceback.slice(-SHOWN_PARTS)];
}
