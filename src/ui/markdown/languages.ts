/** What the tokens of each family of languages look like, as regular expressions. */

/** What a token is; the first of a language's that matches. `word` is a keyword where the language has it. */
export type TokenKind =
  | "comment"
  | "string"
  | "key"
  | "tag"
  | "attribute"
  | "variable"
  | "number"
  | "call"
  | "type"
  | "word";

export interface Language {
  /** As after the backticks of a fence, and as the ends of file names. */
  readonly names: string;
  readonly tokens: readonly (readonly [TokenKind, string])[];
  readonly keywords: string;
  /** Keywords may be written in any case. */
  readonly isCaseless?: boolean;
}

const HASH_COMMENT = "#[^\\n]*";
const DASH_COMMENT = "--[^\\n]*";
const BLOCK_COMMENT = "\\/\\*[\\s\\S]*?(?:\\*\\/|$)";
const SLASH_COMMENT = `\\/\\/[^\\n]*|${BLOCK_COMMENT}`;
const MARKUP_COMMENT = "<!--[\\s\\S]*?(?:-->|$)";
const DOUBLE_QUOTED = `"(?:\\\\.|[^"\\\\\\n])*"?`;
const QUOTED = `${DOUBLE_QUOTED}|'(?:\\\\.|[^'\\\\\\n])*'?`;
const BACKTICKED = "`(?:\\\\.|[^`\\\\])*`?";
const TRIPLE_QUOTED = `"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)`;
/** One character: what else starts with `'` is a lifetime. */
const CHARACTER = "'(?:\\\\[^\\n']+|[^'\\\\\\n])'";

const NUMBER = ["number", "(?<![\\w$])\\d[\\w.]*"] as const;
const CALL = ["call", "[A-Za-z_$][\\w$]*!?(?=\\()"] as const;
const TYPE = ["type", "\\b[A-Z]\\w*[a-z]\\w*"] as const;
const WORD = ["word", "[A-Za-z_$][\\w$]*"] as const;
const WORDS = [NUMBER, CALL, TYPE, WORD];

export const languages: readonly Language[] = [
  {
    names: "python py python3 ipython pycon pyi",
    tokens: [
      ["comment", HASH_COMMENT],
      [
        "string",
        `\\b[rRbBfFuU]{0,2}(?:${TRIPLE_QUOTED})|${TRIPLE_QUOTED}|\\b[rRbBfFuU]{1,2}(?=["'])|${QUOTED}`,
      ],
      ["attribute", "^[ \\t]*@[\\w.]+"],
      ...WORDS,
    ],
    keywords:
      "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
  },
  {
    names: "javascript js jsx mjs cjs typescript ts tsx mts cts php vue svelte",
    tokens: [
      ["comment", SLASH_COMMENT],
      ["string", `${BACKTICKED}|${QUOTED}`],
      ["attribute", "@[A-Za-z]\\w*"],
      ["variable", "\\$[A-Za-z_]\\w*"],
      ...WORDS,
    ],
    keywords:
      "abstract any as asserts async await boolean break case catch class const continue debugger declare default delete do echo else enum export extends false finally fn for foreach from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of override package private protected public readonly require return satisfies set static string super switch symbol this throw trait true try type typeof undefined unknown use var void while with yield",
  },
  {
    names: "c h cpp c++ cc hpp cs csharp java kotlin kt go golang rust rs swift scala zig dart proto",
    tokens: [
      ["comment", SLASH_COMMENT],
      ["string", `\`[^\`]*\`?|${DOUBLE_QUOTED}|${CHARACTER}`],
      ["attribute", "^[ \\t]*#!?\\[?[a-z]+[^\\n]*|@[A-Z]\\w*|'[a-z]\\w*"],
      ...WORDS,
    ],
    keywords:
      "abstract as assert async auto await base bool boolean break byte case catch chan char class companion const constexpr continue crate data default defer delegate delete do double dyn else enum error explicit extends extern f32 f64 fallthrough false final finally float float32 float64 fn for foreach friend fun func get go goto guard i16 i32 i64 i8 if impl implements import in inline instanceof int int16 int32 int64 int8 interface internal is isize let long loop map match mod move mut namespace native new nil noexcept null nullptr object operator out override package params private protected protocol pub public range readonly record ref return sealed select self set short signed size_t sizeof static str string struct super suspend switch synchronized template this throw throws trait true try type typedef typename u16 u32 u64 u8 uint uint8 union unsafe unsigned use using usize val var virtual void volatile when where while yield",
  },
  {
    names: "bash sh shell zsh fish console dockerfile makefile make mk",
    tokens: [
      ["comment", "(?<=^|\\s)#[^\\n]*"],
      ["variable", "\\$(?:\\w+|\\{[^}\\n]*\\}?|[@*#?$!-])"],
      ["string", QUOTED],
      ["attribute", "(?<=\\s)--?[A-Za-z][\\w-]*"],
      NUMBER,
      WORD,
    ],
    keywords:
      "alias break case cd continue declare do done echo elif else esac eval exec exit export fi for function if in local printf read readonly return set shift source then trap unset until while FROM RUN COPY ENV WORKDIR ENTRYPOINT CMD ARG EXPOSE",
  },
  {
    names: "yaml yml",
    tokens: [
      ["comment", "(?<=^|\\s)#[^\\n]*"],
      ["key", "^[ \\t-]*[\\w./\"'-][^:#\\n]*(?=:(?:\\s|$))"],
      ["string", QUOTED],
      NUMBER,
      WORD,
    ],
    keywords: "true false null yes no on off",
  },
  {
    names: "toml ini conf cfg env properties",
    tokens: [
      ["comment", "(?<=^|\\s)[#;][^\\n]*"],
      ["tag", "^[ \\t]*\\[[^\\]\\n]*\\]+"],
      ["key", "^[ \\t]*[\\w.\"'-]+(?=\\s*=)"],
      ["string", `${TRIPLE_QUOTED}|${QUOTED}`],
      NUMBER,
      WORD,
    ],
    keywords: "true false null yes no on off",
  },
  {
    names: "json jsonc json5 jsonl ipynb",
    tokens: [
      ["comment", SLASH_COMMENT],
      ["key", `"(?:\\\\.|[^"\\\\\\n])*"(?=\\s*:)`],
      ["string", DOUBLE_QUOTED],
      ["number", "-?(?<![\\w$])\\d[\\w.+-]*"],
      WORD,
    ],
    keywords: "true false null",
  },
  {
    names: "sql sqlite postgres postgresql mysql",
    tokens: [["comment", `${DASH_COMMENT}|${BLOCK_COMMENT}`], ["string", QUOTED], NUMBER, CALL, WORD],
    keywords:
      "add all alter and as asc begin between by case cast check column commit constraint create cross default delete desc distinct drop else end except exists false foreign from full group having if in index inner insert intersect into is join key left like limit not null offset on or order outer over partition primary references replace returning right rollback select set table then true union unique update using values view when where with",
    isCaseless: true,
  },
  {
    names: "html xml svg xhtml htm",
    tokens: [
      ["comment", MARKUP_COMMENT],
      ["tag", "<[/?!]?[A-Za-z][\\w:.-]*|[/?]?>"],
      ["attribute", "[A-Za-z_:@#][\\w:.-]*(?==[\"'{])"],
      ["string", `(?<==)(?:"[^"]*"?|'[^']*'?)`],
      ["number", "&#?\\w+;"],
    ],
    keywords: "",
  },
  {
    names: "css scss less sass",
    tokens: [
      ["comment", SLASH_COMMENT],
      ["string", QUOTED],
      ["key", "(?<=^|[{;\\s])(?:--)?[a-z-]+(?=\\s*:\\s)"],
      ["number", "#[0-9a-fA-F]{3,8}\\b|(?<![\\w-])-?\\d[\\w.%]*"],
      ["attribute", "@[\\w-]+|!important"],
      ["call", "[a-z-]+(?=\\()"],
      ["type", "(?<![\\w-])[.#][A-Za-z][\\w-]*"],
    ],
    keywords: "",
  },
  {
    names: "ruby rb elixir ex exs julia jl r perl pl nix",
    tokens: [
      ["comment", HASH_COMMENT],
      ["string", QUOTED],
      ["variable", "[@$]{1,2}[A-Za-z_]\\w*|(?<![\\w:]):[a-z_]\\w*"],
      ...WORDS,
    ],
    keywords:
      "alias and begin break case class def defmodule do else elsif end ensure false fn for function if in let local module my next nil not or puts redo require rescue retry return self sub super then true undef unless until use when while yield",
  },
  {
    names: "lua haskell hs",
    tokens: [["comment", DASH_COMMENT], ["string", QUOTED], ...WORDS],
    keywords:
      "and break case class data deriving do else elseif end false for function goto if import in instance let local module nil not of or repeat return then true type until where while",
  },
];
