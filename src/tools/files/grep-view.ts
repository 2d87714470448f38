/** Hits as the model reads them: lines under their file's name, or one file a line. Pure. */

import { count, groupDigits } from "../../format/numbers.ts";
import { fittingLines, maxListChars } from "./fitting-lines.ts";
import type { FileHits, GrepHits } from "./grep-hits.ts";

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
    notes.push(`showing ${groupDigits(lines.length)} of ${moreThan}${count(hits.files, "file")}; ${advice}`);
  if (mode === "count" && hits.files > 1)
    notes.push(`${moreThan}${count(hits.matches, "matching line")} in all`);
  return { text: lines.join("\n"), truncated, notes };
}

function showLines(hits: GrepHits, { limit, show, complete }: HitView): ShownHits {
  const blocks: string[] = [];
  let room = { matches: limit, chars: maxListChars };
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
  const note = `showing ${groupDigits(shown)} of ${moreThan}${count(hits.matches, "match", "matches")} in ${count(hits.files, "file")}; ${advice}`;
  return { text: blocks.join("\n\n"), truncated, notes: truncated ? [note] : [] };
}

const advice = "narrow the search or raise limit";

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
