/** Completions for the text at the cursor: commands at once, files as they are found. */

import { rank } from "../complete/fuzzy.ts";
import { type CompletionToken, completionAt } from "../complete/token.ts";
import type { EditorState } from "../editor/state.ts";
import type { CommandRow } from "../store/actions.ts";
import type { CodeName } from "../store/code-help.ts";

export interface Offer {
  /** What replaces the token. */
  readonly choice: string;
  readonly label: string;
  readonly description: string;
  /** It cannot be sent as it is. */
  readonly needsMore?: boolean | undefined;
}

/** The files that were found for a query. */
export interface FoundFiles {
  readonly query: string;
  readonly paths: readonly string[];
  readonly notes?: readonly string[] | undefined;
  /** How many there are, with those that are not listed. */
  readonly total?: number;
}

/** The names that a kernel returned, and the text before the name being completed. */
export interface OfferedNames {
  readonly head: string;
  readonly names: readonly CodeName[];
}

export interface Offers {
  readonly token: CompletionToken;
  readonly rows: readonly Offer[];
  /** With those that are not listed. */
  readonly total: number;
}

export function offersAt(
  editor: Pick<EditorState, "text" | "cursor">,
  commands: readonly CommandRow[],
  { found, code }: { readonly found: FoundFiles | undefined; readonly code: OfferedNames | undefined },
): Offers | undefined {
  const { text, cursor } = editor;
  if (code !== undefined) return codeOffers(editor, code);
  const token = tokenAt(text, cursor);
  if (token === undefined) return undefined;
  const rows = token.kind === "file" ? fileRows(found) : commandRows(token.query, commands);
  const total = token.kind === "file" ? (found?.total ?? 0) : 0;
  return rows.length > 0 ? { token, rows, total: Math.max(total, rows.length) } : undefined;
}

/** A command's arguments are completed when Tab asks for it; `!` and `$` have their own languages. */
export function tokenAt(text: string, cursor: number): CompletionToken | undefined {
  if (/^[!$]/.test(text)) return undefined;
  const token = completionAt(text, cursor);
  return token?.kind === "argument" ? undefined : token;
}

/** The names that continue the text: typing more makes the menu shorter. */
export function namesFor(
  { text, cursor }: Pick<EditorState, "text" | "cursor">,
  { head, names }: OfferedNames,
): readonly CodeName[] {
  if (!text.startsWith(head) || cursor < head.length) return [];
  const written = text.slice(head.length, cursor);
  return names.filter((name) => name.text.startsWith(written));
}

function codeOffers(editor: Pick<EditorState, "text" | "cursor">, offered: OfferedNames): Offers | undefined {
  const rows = namesFor(editor, offered).map(({ text, type }) => ({
    choice: text,
    label: text.replace(/^\./, ""),
    description: type,
  }));
  const token = { kind: "code", start: offered.head.length, end: editor.cursor, query: "" } as const;
  return rows.length > 0 ? { token, rows, total: rows.length } : undefined;
}

function commandRows(query: string, commands: readonly CommandRow[]): Offer[] {
  return rank(query, commands, ({ name }) => name).map(({ name, description, needsMore }) => ({
    choice: name,
    label: `/${name}`,
    description,
    needsMore,
  }));
}

/** The files of the previous query stay until the new ones are found: a menu that flickers with every key is hard to read. */
function fileRows(found: FoundFiles | undefined): Offer[] {
  const { paths = [], notes = [] } = found ?? {};
  return paths.map((path, at) => ({ choice: path, label: `@${path}`, description: notes[at] ?? "" }));
}
