/**
 * What the shell reports to omp on its own stdout, separated from whatever else ends up there (a DEBUG trap prints where it
 * likes). A report is `RS nonce SP words NUL text NUL text NUL`.
 */

export interface Report {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly jobs: readonly number[];
}

/** A report is never longer than this. */
const MAX_PENDING = 1 << 20;

export class ReportReader {
  readonly #start: string;
  readonly #onReport: (report: Report) => void;
  readonly #decoder = new TextDecoder();
  #pending = "";

  constructor(nonce: string, onReport: (report: Report) => void) {
    this.#start = `\x1e${nonce} `;
    this.#onReport = onReport;
  }

  push(chunk: Uint8Array): void {
    this.#pending += this.#decoder.decode(chunk, { stream: true });
    for (;;) {
      const from = this.#pending.indexOf(this.#start);
      if (from < 0) {
        // Keep what may be the start of one.
        this.#pending = this.#pending.slice(-this.#start.length);
        return;
      }
      const parts = this.#pending.slice(from + this.#start.length).split("\0", 4);
      const [words, cwd, jobs, rest] = parts;
      if (words === undefined || cwd === undefined || jobs === undefined || rest === undefined) {
        this.#pending = this.#pending.length > MAX_PENDING ? "" : this.#pending.slice(from);
        return;
      }
      const length = this.#start.length + words.length + cwd.length + jobs.length + 3;
      this.#pending = this.#pending.slice(from + length);
      this.#onReport({ words: words.split(" "), cwd, jobs: jobs.split("\n").filter(Boolean).map(Number) });
    }
  }
}
