import { onAbort } from "./abort.ts";

/** Resolves after the time, or as soon as the signal aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  const stopListening = onAbort(signal, resolve);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}
