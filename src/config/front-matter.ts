/**
 * The fields at the top of a Markdown file, between two lines `---`. Read leniently, and not as YAML: many of these files, with a colon in
 * a description, are none.
 */

export interface FrontMatter {
  text(name: string): string | undefined;
  /** `a, b`, `[a, b]`, or a line `- a` for each. */
  list(name: string): readonly string[] | undefined;
}

const FENCE = /^\uFEFF?---[ \t]*\r?\n/;
const FENCED = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const FIELD = /^([A-Za-z][\w-]*):[ \t]*(.*)$/;
/** `>` and `|` say that the text follows in the next lines. */
const BLOCK = /^[>|][+-]?$/;

/** Without front matter, all of it is text. */
export function splitFrontMatter(whole: string): {
  readonly fields: FrontMatter;
  readonly text: string;
  readonly isUnended: boolean;
} {
  const [fenced = "", inside = ""] = FENCED.exec(whole) ?? [];
  const fields = new Map<string, readonly string[]>();
  let name: string | undefined;
  for (const line of inside.split(/\r?\n/)) {
    const [, started, value = ""] = FIELD.exec(line) ?? [];
    name = started ?? name;
    if (name === undefined || line.trim() === "" || line.startsWith("#")) continue;
    const piece = started === undefined ? line.trim() : value.trim();
    fields.set(name, [...(fields.get(name) ?? []), piece]);
  }
  const piecesOf = (wanted: string) =>
    fields.get(wanted)?.filter((piece, at) => piece !== "" && !(at === 0 && BLOCK.test(piece)));
  return {
    fields: {
      text: (wanted) => unquoted((piecesOf(wanted) ?? []).join(" ")) || undefined,
      list: (wanted) =>
        piecesOf(wanted)
          ?.flatMap((piece) => unquoted(piece.replace(/^-\s+/, "").replace(/^\[|\]$/g, "")).split(","))
          .map((item) => unquoted(item.trim()))
          .filter((item) => item !== ""),
    },
    text: whole.slice(fenced.length).trim(),
    isUnended: fenced === "" && FENCE.test(whole),
  };
}

function unquoted(text: string): string {
  return /^(["'])([\s\S]*)\1$/.exec(text)?.[2] ?? text;
}
