/** What background jobs of earlier commands write: read, so that they are never stopped by a full pipe, and kept in small. */

import type { CommandPipes } from "./command-pipes.ts";

const keptChars = 4000;

export class LateOutput {
  readonly #pipes = new Set<CommandPipes>();
  #text = "";
  #bytes = 0;
  readonly #decoder = new TextDecoder();

  /** Hears the pipes of a command that has ended. Resolves when its last writer has, too. */
  async follow(pipes: CommandPipes): Promise<void> {
    const listener = (chunk: Uint8Array) => this.#add(chunk);
    pipes.redirect({ onStdout: listener, onStderr: listener });
    this.#pipes.add(pipes);
    await pipes.ended;
    this.#pipes.delete(pipes);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pipes].map((pipes) => pipes.close()));
  }

  /** What was written since the last call, also what the event loop has not come round to; undefined when nothing was. */
  take(): { readonly text: string; readonly bytes: number } | undefined {
    for (const pipes of this.#pipes) pipes.takeWaiting();
    if (this.#bytes === 0) return undefined;
    const taken = { text: this.#text, bytes: this.#bytes };
    this.#text = "";
    this.#bytes = 0;
    return taken;
  }

  #add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    // Only the end is kept, so only the end need be decoded.
    this.#text += this.#decoder.decode(chunk.subarray(-keptChars), { stream: true });
    if (this.#text.length > keptChars) this.#text = this.#text.slice(-keptChars);
  }
}
