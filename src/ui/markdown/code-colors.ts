/**
 * Colours for code, token by token, in a table of languages (languages.ts). It need not be right about everything; it must be fast, never
 * lose a character, and give whole lines at the start of a text the same colours as in the whole of it.
 */

import type { Paint, Theme } from "../theme.ts";
import { type Language, languages, type TokenKind } from "./languages.ts";

interface Grammar {
  readonly tokens: RegExp;
  readonly kinds: readonly TokenKind[];
  readonly keywords: ReadonlySet<string>;
  readonly isCaseless: boolean;
}

const grammars = new Map<Language, Grammar>();

function grammarOf(name: string): Grammar | undefined {
  const language = languages.find(({ names }) => names.split(" ").includes(name));
  const made = language && grammars.get(language);
  if (made !== undefined || language === undefined) return made;
  const grammar = {
    tokens: new RegExp(language.tokens.map(([, pattern]) => `(${pattern})`).join("|"), "gm"),
    kinds: language.tokens.map(([kind]) => kind),
    keywords: new Set(language.keywords.split(" ")),
    isCaseless: language.isCaseless === true,
  };
  grammars.set(language, grammar);
  return grammar;
}

/** @param name of the language, as after the backticks of a fence, or the end of a file's name. */
export function colorCode(code: string, name: string, theme: Theme): string {
  const key = name.toLowerCase();
  if (!theme.hasColors) return code;
  if (key === "diff" || key === "patch") return colorDiff(code, theme);
  const grammar = grammarOf(key);
  if (grammar === undefined) return code;
  return code.replace(grammar.tokens, (text: string, ...found: unknown[]) => {
    const kind = grammar.kinds[found.findIndex((group) => group !== undefined)];
    return kind === undefined ? text : (paintOf(text, kind, grammar, theme)?.(text) ?? text);
  });
}

function paintOf(
  text: string,
  kind: TokenKind,
  { keywords, isCaseless }: Grammar,
  theme: Theme,
): Paint | undefined {
  switch (kind) {
    case "comment":
      return theme.dim;
    case "string":
      return theme.green;
    case "number":
    case "variable":
      return theme.cyan;
    case "key":
      return theme.blue;
    case "tag":
      return theme.magenta;
    case "attribute":
      return theme.yellow;
    case "call":
    case "type":
    case "word": {
      if (keywords.has(isCaseless ? text.toLowerCase() : text)) return theme.magenta;
      return kind === "call" ? theme.blue : kind === "type" ? theme.yellow : undefined;
    }
  }
}

/** The language of a file, by the end of its name; as `colorCode` takes it. */
export function languageOf(path: string): string {
  const [name = ""] = path.split("/").slice(-1);
  return name.slice(name.lastIndexOf(".") + 1).toLowerCase();
}

function colorDiff(code: string, theme: Theme): string {
  return code
    .split("\n")
    .map((line) => {
      if (line.startsWith("+++") || line.startsWith("---")) return theme.bold(line);
      if (line.startsWith("@@")) return theme.cyan(line);
      if (line.startsWith("+")) return theme.green(line);
      return line.startsWith("-") ? theme.red(line) : line;
    })
    .join("\n");
}
