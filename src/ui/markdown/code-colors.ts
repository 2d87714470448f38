/**
 * Simple colours for code in many languages: comments, strings, numbers and keywords, by language family. It need not be right about
 * everything; it must be fast, never lose a character, and give the start of a text the same colours as the whole of it.
 */

import type { Paint, Theme } from "../theme.ts";

interface Language {
  readonly names: string;
  readonly comment: string;
  readonly string: string;
  readonly keywords: string;
}

const HASH_COMMENT = "#[^\\n]*";
const DASH_COMMENT = "--[^\\n]*";
const BLOCK_COMMENT = "\\/\\*[\\s\\S]*?(?:\\*\\/|$)";
const SLASH_COMMENT = `\\/\\/[^\\n]*|${BLOCK_COMMENT}`;
const QUOTED = `"(?:\\\\.|[^"\\\\\\n])*"?|'(?:\\\\.|[^'\\\\\\n])*'?`;
const TRIPLE_QUOTED = `"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)`;
const RUBY_KEYWORDS =
  "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield function local";

const languages: readonly Language[] = [
  {
    names: "python py python3 ipython pycon",
    comment: HASH_COMMENT,
    string: `\\b[rRbBfFuU]{0,2}(?:${TRIPLE_QUOTED})|${TRIPLE_QUOTED}|${QUOTED}`,
    keywords:
      "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
  },
  {
    names: "javascript js jsx mjs typescript ts tsx php",
    comment: SLASH_COMMENT,
    string: `\`(?:\\\\.|[^\`\\\\])*\`?|${QUOTED}`,
    keywords:
      "abstract as async await break case catch class const continue declare default delete do else enum export extends false finally for from function if implements import in instanceof interface let namespace new null of private protected public readonly return satisfies static super switch this throw true try type typeof undefined var void while yield",
  },
  {
    names: "c h cpp c++ cs csharp java kotlin go golang rust rs swift scala zig css",
    comment: SLASH_COMMENT,
    string: QUOTED,
    keywords:
      "auto bool break case catch chan char class const continue crate default defer delete do double else enum extern false final float fn for func go goto if impl import int interface let long loop map match mod mut namespace new nil null nullptr package private protected pub public range return self short signed sizeof static string struct super switch template this throw trait true try type typedef union unsafe unsigned use using var virtual void volatile where while",
  },
  {
    names: "bash sh shell zsh fish console dockerfile makefile make",
    comment: "(?<=^|\\s)#[^\\n]*",
    string: QUOTED,
    keywords:
      "alias case cd do done echo elif else esac eval exec exit export fi for function if in local printf read return set shift source then trap unset until while",
  },
  {
    names: "yaml yml toml ini conf env",
    comment: HASH_COMMENT,
    string: QUOTED,
    keywords: "true false null yes no on off",
  },
  {
    names: "json jsonc json5",
    comment: SLASH_COMMENT,
    string: `"(?:\\\\.|[^"\\\\\\n])*"?`,
    keywords: "true false null",
  },
  {
    names: "sql sqlite postgres",
    comment: `${DASH_COMMENT}|${BLOCK_COMMENT}`,
    string: QUOTED,
    keywords:
      "alter and as asc between by case create delete desc distinct drop else end exists from group having in index inner insert into is join key left like limit not null offset on or order outer primary right select set table then union unique update values view when where with",
  },
  { names: "html xml svg vue", comment: "<!--[\\s\\S]*?(?:-->|$)", string: QUOTED, keywords: "" },
  {
    names: "ruby rb elixir julia r perl nix",
    comment: HASH_COMMENT,
    string: QUOTED,
    keywords: RUBY_KEYWORDS,
  },
  { names: "lua", comment: DASH_COMMENT, string: QUOTED, keywords: RUBY_KEYWORDS },
];

interface Grammar {
  readonly tokens: RegExp;
  readonly keywords: ReadonlySet<string>;
}

const grammars = new Map<Language, Grammar>();

function grammarOf(name: string): Grammar | undefined {
  const language = languages.find(({ names }) => names.split(" ").includes(name));
  const made = language && grammars.get(language);
  if (made !== undefined || language === undefined) return made;
  const parts = [
    `(?<comment>${language.comment})`,
    `(?<string>${language.string})`,
    "(?<number>(?<![\\w$])\\d[\\w.]*)",
    "(?<word>[A-Za-z_$][\\w$]*)",
  ];
  const tokens = new RegExp(parts.join("|"), "gm");
  const grammar = { tokens, keywords: new Set(language.keywords.split(" ")) };
  grammars.set(language, grammar);
  return grammar;
}

/** @param name of the language, as after the backticks of a fence. */
export function colorCode(code: string, name: string, theme: Theme): string {
  const key = name.toLowerCase();
  if (!theme.hasColors) return code;
  if (key === "diff" || key === "patch") return colorDiff(code, theme);
  const grammar = grammarOf(key);
  if (grammar === undefined) return code;
  return code.replace(grammar.tokens, (...found: unknown[]) => {
    const text = String(found[0]);
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>>;
    return paintOf(text, groups, grammar, theme)?.(text) ?? text;
  });
}

function paintOf(
  text: string,
  groups: Readonly<Record<string, string | undefined>>,
  { keywords }: Grammar,
  theme: Theme,
): Paint | undefined {
  if (groups["comment"] !== undefined) return theme.dim;
  if (groups["string"] !== undefined) return theme.green;
  if (groups["number"] !== undefined) return theme.cyan;
  return keywords.has(text) || keywords.has(text.toLowerCase()) ? theme.magenta : undefined;
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
