/** Waiting that an abort ends at once: the only module that adds abort listeners. */

/** Calls the listener when the signal aborts, at once if it already has. @returns a function that stops listening. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) {
    listener();
    return () => undefined;
  }
  signal?.addEventListener("abort", listener, { once: true });
  return () => signal?.removeEventListener("abort", listener);
}

/**
 * The promise's value, or the signal's reason as an error if the signal aborts first. A value that arrives after that goes to
 * `onLate`.
 */
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

/** Waits for the promise, but not beyond an abort of the signal. Throws only what the promise throws. */
export async function untilAborted(
  promise: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const stopListening = onAbort(signal, aborted.resolve);
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    stopListening();
  }
}
