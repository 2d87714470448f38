/**
 * Whether the promise resolves in time. Throws what it throws.
 *
 * The wait keeps the process alive, unless `keepsProcess` is false.
 */
export async function within(
  promise: Promise<unknown>,
  milliseconds: number,
  { keepsProcess = true } = {},
): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  if (!keepsProcess) timer.unref();
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
