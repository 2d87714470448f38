/**
 * What a search finds, in the order of the paths, in bounded memory: of more than can be shown only the first files are kept,
 * but everything is counted. Ripgrep searches files side by side and gives them in no order; each one's lines come together.
 */

export interface HitLine {
  readonly number: number;
  readonly text: string;
  readonly isMatch: boolean;
}

export interface FileHits {
  readonly path: string;
  matches: number;
  readonly lines: HitLine[];
}

/** Kept files are thinned out when they have this many times more than can be shown. */
const slack = 8;

export class GrepHits {
  /** Matching lines and files in all. */
  matches = 0;
  files = 0;
  readonly #limit: number;
  #kept: FileHits[] = [];
  #keptWeight = 0;
  #current: FileHits | undefined;
  #currentMatches = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  addLine(path: string, line: HitLine): void {
    const file = this.#fileOf(path);
    if (line.isMatch) {
      file.matches++;
      this.matches++;
      this.#currentMatches++;
    }
    if (this.#currentMatches > this.#limit) return;
    file.lines.push(line);
    this.#keptWeight++;
  }

  addFile(path: string, matches: number): void {
    this.#fileOf(path).matches += matches;
    this.matches += matches;
  }

  /** Those that are among the first, sorted. `weigh` says how much of the limit a file takes. */
  first(): FileHits[] {
    this.#thinOut();
    return this.#kept;
  }

  #fileOf(path: string): FileHits {
    if (this.#current?.path === path) return this.#current;
    if (this.#keptWeight > this.#limit * slack + 1000) this.#thinOut();
    const file: FileHits = { path, matches: 0, lines: [] };
    this.#current = file;
    this.#currentMatches = 0;
    this.#kept.push(file);
    this.#keptWeight++;
    this.files++;
    return file;
  }

  #thinOut(): void {
    this.#kept.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    let taken = 0;
    let keep = 0;
    while (keep < this.#kept.length && taken < this.#limit) {
      const file = this.#kept[keep++];
      // In a list of files each takes one; among lines each match does.
      taken += file === undefined || file.lines.length === 0 ? 1 : file.matches;
    }
    this.#kept = this.#kept.slice(0, keep);
    this.#keptWeight = this.#kept.reduce((sum, file) => sum + 1 + file.lines.length, 0);
  }
}
