/** What can be completed at the cursor: a `/command` and its arguments, or an `@file` anywhere. Reading and writing of the `@` form. */

export type CompletionToken =
  | { readonly kind: "command"; readonly start: number; readonly end: number; readonly query: string }
  | {
      readonly kind: "argument";
      readonly command: string;
      readonly start: number;
      readonly end: number;
      readonly query: string;
    }
  | { readonly kind: "file"; readonly start: number; readonly end: number; readonly query: string }
  /** A name in code, which a kernel completes. */
  | { readonly kind: "code"; readonly start: number; readonly end: number; readonly query: string };

/** An `@` starts a file where a word could start: not inside an e-mail address. */
const FILE_BEFORE = /(?:^|[\s([{"'`,;=:])@(?:"((?:[^"\\\n]|\\.)*)|([^\s"]*))$/u;

export function completionAt(text: string, cursor: number): CompletionToken | undefined {
  const before = text.slice(0, cursor);
  return fileToken(text, before) ?? commandToken(text, before);
}

function fileToken(text: string, before: string): CompletionToken | undefined {
  // A name is never longer than this; a long text is not searched to its beginning at every key.
  const near = before.slice(-1_000);
  const found = FILE_BEFORE.exec(near);
  if (found === null) return undefined;
  const [, quoted, plain = ""] = found;
  const isQuoted = quoted !== undefined;
  const written = quoted ?? plain;
  const start = before.length - written.length - (isQuoted ? 2 : 1);
  const after = text.slice(before.length);
  const rest = isQuoted ? (/^[^"\n]*"/.exec(after)?.[0] ?? "") : (/^[^\s"]*/.exec(after)?.[0] ?? "");
  const query = isQuoted ? unescaped(written) : written;
  return { kind: "file", start, end: before.length + rest.length, query };
}

function commandToken(text: string, before: string): CompletionToken | undefined {
  const name = /^\/([\w:.-]*)$/.exec(before);
  if (name !== null) {
    const rest = /^[\w:.-]*/.exec(text.slice(before.length))?.[0] ?? "";
    return { kind: "command", start: 0, end: before.length + rest.length, query: name[1] ?? "" };
  }
  const argument = /^\/([\w:.-]+)[ \t]+(?:\S+[ \t]+)*(\S*)$/.exec(before);
  if (argument === null) return undefined;
  const [, command = "", query = ""] = argument;
  const rest = /^\S*/.exec(text.slice(before.length))?.[0] ?? "";
  return {
    kind: "argument",
    command,
    start: before.length - query.length,
    end: before.length + rest.length,
    query,
  };
}

/** A path as it is written after an `@`: in quotes when it has a space or a symbol that would end it. */
function fileMention(path: string): string {
  return /^[^\s"'`()[\]{},;\\]+$/u.test(path) ? `@${path}` : `@"${path.replace(/["\\]/g, "\\$&")}"`;
}

export interface CompletedText {
  readonly text: string;
  readonly cursor: number;
}

/** The text with the token replaced by the choice. A directory, or the start of an address, stays open, so that more can follow. */
export function applyCompletion(text: string, token: CompletionToken, choice: string): CompletedText {
  if (token.kind === "code") {
    const done = text.slice(0, token.start) + choice;
    return { text: done + text.slice(token.end), cursor: done.length };
  }
  const isDirectory = token.kind === "file" && /[/:=]$/.test(choice);
  const written =
    token.kind === "file" ? fileMention(choice) : token.kind === "command" ? `/${choice}` : choice;
  const after = text.slice(token.end);
  const gap = isDirectory || /^\s/.test(after) ? "" : " ";
  const head = text.slice(0, token.start) + written + gap;
  // Before the closing quote of a directory, after the space that is already there otherwise.
  const inside = isDirectory && written.endsWith('"') ? 1 : 0;
  const over = !isDirectory && gap === "" && after.startsWith(" ") ? 1 : 0;
  return { text: head + after, cursor: head.length - inside + over };
}

function unescaped(written: string): string {
  return written.replace(/\\(.)/gs, "$1");
}
