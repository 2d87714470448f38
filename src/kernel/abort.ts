/** Waiting that an abort ends at once. */

/** As `promise`, or the signal's reason if that comes first; what the promise then still gives goes to `onLate`. */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  onLate: (value: T) => void = () => undefined,
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } catch (error) {
    // Its own failure was either just thrown or belongs to nobody any more.
    promise.then(onLate, () => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
