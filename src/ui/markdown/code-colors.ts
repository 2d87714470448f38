/**
 * Light colours for code of many languages: comments, strings, numbers and keywords, by the language's family. It need not be right about
 * everything; it must be quick, never lose a character, and give the same for the start of a text as for all of it.
 */

import type { Paint, Theme } from "../theme.ts";

interface Language {
  readonly comment: string;
  readonly string: string;
  readonly keywords: ReadonlySet<string>;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const hashComment = "#[^\\n]*";
const slashComment = "\\/\\/[^\\n]*|\\/\\*[\\s\\S]*?(?:\\*\\/|$)";
const quoted = `"(?:\\\\.|[^"\\\\\\n])*"?|'(?:\\\\.|[^'\\\\\\n])*'?`;
const never = "(?!)";

const python: Language = {
  comment: hashComment,
  string: `\\b[rRbBfFuU]{0,2}(?:"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$))|"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)|${quoted}`,
  keywords: words(
    "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
  ),
};
const script: Language = {
  comment: slashComment,
  string: `\`(?:\\\\.|[^\`\\\\])*\`?|${quoted}`,
  keywords: words(
    "abstract as async await break case catch class const continue declare default delete do else enum export extends false finally for from function if implements import in instanceof interface let namespace new null of private protected public readonly return satisfies static super switch this throw true try type typeof undefined var void while yield",
  ),
};
const compiled: Language = {
  comment: slashComment,
  string: quoted,
  keywords: words(
    "auto bool break case catch chan char class const continue crate default defer delete do double else enum extern false final float fn for func go goto if impl import int interface let long loop map match mod mut namespace new nil null nullptr package private protected pub public range return self short signed sizeof static string struct super switch template this throw trait true try type typedef union unsafe unsigned use using var virtual void volatile where while",
  ),
};
const shell: Language = {
  comment: "(?<=^|\\s)#[^\\n]*",
  string: quoted,
  keywords: words(
    "alias case cd do done echo elif else esac eval exec exit export fi for function if in local printf read return set shift source then trap unset until while",
  ),
};
const data: Language = {
  comment: hashComment,
  string: quoted,
  keywords: words("true false null yes no on off"),
};
const json: Language = {
  comment: slashComment,
  string: `"(?:\\\\.|[^"\\\\\\n])*"?`,
  keywords: words("true false null"),
};
const query: Language = {
  comment: "--[^\\n]*|\\/\\*[\\s\\S]*?(?:\\*\\/|$)",
  string: quoted,
  keywords: words(
    "alter and as asc between by case create delete desc distinct drop else end exists from group having in index inner insert into is join key left like limit not null offset on or order outer primary right select set table then union unique update values view when where with",
  ),
};
const markup: Language = { comment: "<!--[\\s\\S]*?(?:-->|$)", string: quoted, keywords: new Set() };
const ruby: Language = {
  comment: hashComment,
  string: quoted,
  keywords: words(
    "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield function local",
  ),
};

const languages: Readonly<Record<string, Language>> = {
  python,
  py: python,
  python3: python,
  ipython: python,
  pycon: python,
  javascript: script,
  js: script,
  jsx: script,
  mjs: script,
  typescript: script,
  ts: script,
  tsx: script,
  c: compiled,
  h: compiled,
  cpp: compiled,
  "c++": compiled,
  cs: compiled,
  csharp: compiled,
  java: compiled,
  kotlin: compiled,
  go: compiled,
  golang: compiled,
  rust: compiled,
  rs: compiled,
  swift: compiled,
  scala: compiled,
  zig: compiled,
  css: compiled,
  php: script,
  bash: shell,
  sh: shell,
  shell: shell,
  zsh: shell,
  fish: shell,
  console: shell,
  dockerfile: shell,
  makefile: shell,
  make: shell,
  yaml: data,
  yml: data,
  toml: data,
  ini: data,
  conf: data,
  env: data,
  json,
  jsonc: json,
  json5: json,
  sql: query,
  sqlite: query,
  postgres: query,
  lua: { ...ruby, comment: "--[^\\n]*" },
  html: markup,
  xml: markup,
  svg: markup,
  vue: markup,
  ruby,
  rb: ruby,
  elixir: ruby,
  julia: ruby,
  r: ruby,
  perl: ruby,
  nix: ruby,
};

const patterns = new Map<Language, RegExp>();

function patternOf(language: Language): RegExp {
  let pattern = patterns.get(language);
  if (pattern === undefined) {
    const parts = [
      `(?<comment>${language.comment || never})`,
      `(?<string>${language.string})`,
      "(?<number>(?<![\\w$])\\d[\\w.]*)",
      "(?<word>[A-Za-z_$][\\w$]*)",
    ];
    pattern = new RegExp(parts.join("|"), "gm");
    patterns.set(language, pattern);
  }
  return pattern;
}

export function colorCode(code: string, name: string, theme: Theme): string {
  const key = name.toLowerCase();
  if (!theme.hasColors) return code;
  if (key === "diff" || key === "patch") return colorDiff(code, theme);
  const language = languages[key];
  if (language === undefined) return code;
  return code.replace(patternOf(language), (...found: unknown[]) => {
    const text = String(found[0]);
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>>;
    return paintOf(text, groups, language, theme)?.(text) ?? text;
  });
}

function paintOf(
  text: string,
  groups: Readonly<Record<string, string | undefined>>,
  { keywords }: Language,
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
