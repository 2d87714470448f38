/** What a write changed, for people: a unified diff and its size. Bounded in time: it must never hold up the write. */

export interface TextChange {
  /** Missing where the texts are too long to be compared. */
  readonly diff?: string;
  readonly additions?: number;
  readonly deletions?: number;
}

const MAX_CHARS = 4_000_000;
const MAX_MS = 200;

export async function describeChange(path: string, before: string, after: string): Promise<TextChange> {
  if (before.length + after.length > MAX_CHARS) return {};
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import("diff");
  const [old, now] = [before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")];
  const patch = structuredPatch(path, path, old, now, undefined, undefined, { context: 3, timeout: MAX_MS });
  if (patch === undefined) return {};
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    diff: formatPatch(patch, FILE_HEADERS_ONLY),
    additions: lines.filter((line) => line.startsWith("+")).length,
    deletions: lines.filter((line) => line.startsWith("-")).length,
  };
}
