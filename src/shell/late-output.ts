/** What background jobs of earlier commands write: read, so that they are never stopped by a full pipe, and kept in small. */

const keptChars = 4000;

export class LateOutput {
  #text = "";
  #bytes = 0;
  readonly #decoder = new TextDecoder();

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    // Only the end is kept, so only the end need be decoded.
    this.#text += this.#decoder.decode(chunk.subarray(-keptChars), { stream: true });
    if (this.#text.length > keptChars) this.#text = this.#text.slice(-keptChars);
  }

  /** What came since the last call; undefined when nothing did. */
  take(): { readonly text: string; readonly bytes: number } | undefined {
    if (this.#bytes === 0) return undefined;
    const taken = { text: this.#text, bytes: this.#bytes };
    this.#text = "";
    this.#bytes = 0;
    return taken;
  }
}
