/** Records out of chunks of bytes that end anywhere, also inside a character. */
export class RecordReader {
  count = 0;
  readonly #decoder = new TextDecoder();
  readonly #separator: string;
  readonly #onRecord: (record: string) => void;
  #rest = "";

  constructor(separator: string, onRecord: (record: string) => void) {
    this.#separator = separator;
    this.#onRecord = onRecord;
  }

  push(chunk: Uint8Array): void {
    const records = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split(this.#separator);
    this.#rest = records.pop() ?? "";
    for (const record of records) this.#take(record);
  }

  end(): void {
    if (this.#rest !== "") this.#take(this.#rest);
    this.#rest = "";
  }

  #take(record: string): void {
    this.count++;
    this.#onRecord(record);
  }
}
