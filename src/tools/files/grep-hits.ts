/**
 * What a search finds, in the order of the paths, in bounded memory: of more than can be shown only the first files are kept,
 * but everything is counted. Ripgrep searches files in parallel and reports them in any order, each one's lines together.
 * Shown to the model as lines under their file's name, or as one file a line.
 */

import { count, groupDigits } from "../../format/numbers.ts";
import { fittingLines, MAX_LIST_CHARS } from "./search-target.ts";

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
const SLACK = 8;

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
    if (this.#keptWeight > this.#limit * SLACK + 1000) this.#thinOut();
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

export interface ShownHits {
  readonly text: string;
  readonly truncated: boolean;
  /** What is not shown, and how to see it. */
  readonly notes: readonly string[];
}

export interface HitView {
  readonly mode: "content" | "files" | "count";
  readonly limit: number;
  /** From a path below the searched directory to the one that is shown. */
  readonly show: (path: string) => string;
  /** Everything was counted. */
  readonly complete: boolean;
}

export function showHits(hits: GrepHits, view: HitView): ShownHits {
  return view.mode === "content" ? showLines(hits, view) : showFiles(hits, view);
}

function showFiles(hits: GrepHits, { mode, limit, show, complete }: HitView): ShownHits {
  const lines = fittingLines(
    hits
      .first()
      .slice(0, limit)
      .map((file) => (mode === "count" ? `${show(file.path)}:${file.matches}` : show(file.path))),
  );
  const truncated = !complete || lines.length < hits.files;
  const moreThan = complete ? "" : "more than ";
  const notes: string[] = [];
  if (truncated)
    notes.push(`showing ${groupDigits(lines.length)} of ${moreThan}${count(hits.files, "file")}; ${ADVICE}`);
  if (mode === "count" && hits.files > 1)
    notes.push(`${moreThan}${count(hits.matches, "matching line")} in all`);
  return { text: lines.join("\n"), truncated, notes };
}

function showLines(hits: GrepHits, { limit, show, complete }: HitView): ShownHits {
  const blocks: string[] = [];
  let room = { matches: limit, chars: MAX_LIST_CHARS };
  for (const file of hits.first()) {
    const block = fileBlock(file, show(file.path), room);
    if (block === undefined) break;
    blocks.push(block.text);
    room = { matches: room.matches - block.matches, chars: room.chars - block.text.length - 2 };
    if (!block.whole) break;
  }
  const shown = limit - room.matches;
  const truncated = !complete || shown < hits.matches;
  const moreThan = complete ? "" : "more than ";
  const note = `showing ${groupDigits(shown)} of ${moreThan}${count(hits.matches, "match", "matches")} in ${count(hits.files, "file")}; ${ADVICE}`;
  return { text: blocks.join("\n\n"), truncated, notes: truncated ? [note] : [] };
}

const ADVICE = "narrow the search or raise limit";

function fileBlock(
  { lines }: FileHits,
  path: string,
  room: { readonly matches: number; readonly chars: number },
): { text: string; matches: number; whole: boolean } | undefined {
  if (room.matches <= 0) return undefined;
  const shown = [path];
  let matches = 0;
  let chars = path.length;
  let previous: number | undefined;
  for (const line of lines) {
    const gap = previous !== undefined && line.number > previous + 1 && hasContext(lines);
    const text = `${line.number}${line.isMatch ? ":" : "-"}${line.text}`;
    chars += text.length + 1 + (gap ? 3 : 0);
    const isFull = chars > room.chars || (line.isMatch && matches === room.matches);
    if (isFull) return matches === 0 ? undefined : { text: shown.join("\n"), matches, whole: false };
    if (gap) shown.push("--");
    shown.push(text);
    if (line.isMatch) matches++;
    previous = line.number;
  }
  return { text: shown.join("\n"), matches, whole: true };
}

function hasContext(lines: FileHits["lines"]): boolean {
  return lines.some(({ isMatch }) => !isMatch);
}
