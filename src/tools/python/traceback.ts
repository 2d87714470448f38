/** A traceback as the user's code makes it: without the frames of our own code inside the kernel, and without what those called. */

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
