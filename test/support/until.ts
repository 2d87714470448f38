/** Waits for a condition instead of for a time. */

/** For what never comes: a loaded machine takes its time. */
const deadlineMs = 150_000;

/** Resolves with the first value that is neither false nor undefined; fails, naming what it waited for, at the deadline. */
export async function until<T>(what: string, ask: () => T | false | undefined): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const answer = ask();
    if (answer !== false && answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`gave up waiting until ${what}`);
    await Bun.sleep(5);
  }
}
