/**
 * omp's hands off the keyboard while another program has the terminal. Without a listener Bun still reads what is typed, and would
 * take the keys that the other program is not waiting for at that moment.
 */

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Nobody may listen to `stdin` when it is called; who listens again afterwards gets the keys again. */
export async function withoutReading<T>(stdin: NodeJS.ReadStream, work: () => Promise<T>): Promise<T> {
  // Bun lets go of the terminal when a stream that flows is paused, a turn later; one that was read otherwise does not flow.
  await turn();
  stdin.resume();
  await turn();
  stdin.pause();
  await turn();
  return await work();
}
