/** Waiting that an abort ends at once. */

/** Calls the listener when the signal aborts, at once if it already has. @returns what stops listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** As `promise`, or the signal's reason if that comes first; what the promise gives after that goes to `onLate`. */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  onLate: (value: T) => void = () => undefined,
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stopListening = onAbort(signal, () => aborted.reject(signal.reason));
  try {
    return await Promise.race([promise, aborted.promise]);
  } catch (error) {
    // Its own failure was either just thrown or no longer matters.
    promise.then(onLate, () => undefined);
    throw error;
  } finally {
    stopListening();
  }
}
