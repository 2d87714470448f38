/** Colours of code: which token has which, that no letter is lost, and that whole lines do not change when more follows. */

import { describe, expect, test } from "bun:test";
import { colorCode, languageOf } from "../../../src/ui/markdown/code-colors.ts";
import { makeTheme } from "../../../src/ui/theme.ts";

const theme = makeTheme({ hasColors: true, depth: "true", isLight: false, isAscii: false });
const colors = ["red", "green", "yellow", "blue", "magenta", "cyan", "dim"] as const;

/** The painted tokens with their colours: `magenta def`. */
function tokens(code: string, language: string): string[] {
  const painted = colorCode(code, language, theme);
  return [...painted.matchAll(/(\p{Cc}\[38[^m]*m)(.*?)\p{Cc}\[39m/gsu)].map(([, begin = "", text = ""]) => {
    const name = colors.find((color) => theme[color]("x").startsWith(begin));
    return `${name} ${text}`;
  });
}

const samples: Record<string, { readonly code: string; readonly has: readonly string[] }> = {
  python: {
    code: '@cache\ndef f(x: Path) -> int:\n    """Doc."""\n    return g(x) + 0x1F  # why',
    has: [
      "yellow @cache",
      "magenta def",
      "blue f",
      "yellow Path",
      'green """Doc."""',
      "cyan 0x1F",
      "dim # why",
    ],
  },
  ts: {
    code: "const a: Map<string, number> = await load(`x 'y'`); // c",
    has: ["magenta const", "yellow Map", "magenta await", "blue load", "green `x 'y'`", "dim // c"],
  },
  java: {
    code: '@Override public String name() { return "x"; }',
    has: ["yellow @Override", "magenta public", "yellow String", "blue name", 'green "x"'],
  },
  rust: {
    code: "fn first<'a>(x: &'a str) -> char { 'c' } /* end */",
    has: ["magenta fn", "yellow 'a", "magenta str", "green 'c'", "dim /* end */"],
  },
  go: {
    code: 'func main() { x := 42; fmt.Println("a", x) }',
    has: ["magenta func", "cyan 42", "blue Println"],
  },
  "c++": {
    code: "#include <map>\nint main() { return 0; }",
    has: ["yellow #include <map>", "magenta int", "cyan 0"],
  },
  php: { code: "$name = strtoupper('x');", has: ["cyan $name", "blue strtoupper", "green 'x'"] },
  ruby: {
    code: "def go(@x) = puts :sym",
    has: ["magenta def", "blue go", "cyan @x", "cyan :sym"],
  },
  sql: {
    code: "SELECT count(*) FROM t -- all",
    has: ["magenta SELECT", "blue count", "magenta FROM", "dim -- all"],
  },
  bash: {
    code: 'for f in $FILES; do rm --force "$f"; done # now',
    has: ["magenta for", "cyan $FILES", "yellow --force", 'green "$f"', "dim # now"],
  },
  html: {
    code: "<a href=\"x.html\">Don't &amp; can't</a><!-- c -->",
    has: ["magenta <a", "yellow href", 'green "x.html"', "cyan &amp;", "magenta </a", "dim <!-- c -->"],
  },
  json: {
    code: '{"a": [1.5e3, true], "b": "c"}',
    has: ['blue "a"', "cyan 1.5e3", "magenta true", 'green "c"'],
  },
  css: {
    code: ".box:hover { color: #ff0000; width: calc(1px + 2%); }",
    has: ["yellow .box", "blue color", "cyan #ff0000", "blue calc", "cyan 2%"],
  },
  yaml: { code: "name: x\non: [1, true] # c", has: ["blue name", "cyan 1", "magenta true", "dim # c"] },
  toml: { code: '[tool.x]\nkey = "v"', has: ["magenta [tool.x]", "blue key", 'green "v"'] },
};

describe.each(Object.entries(samples))("%s", (language, { code, has }) => {
  test("has its tokens in their colours", () => {
    expect(tokens(code, language)).toEqual(expect.arrayContaining([...has]));
  });

  test("loses no letter, and a line that is whole does not change when more follows", () => {
    expect(Bun.stripANSI(colorCode(code, language, theme))).toBe(code);
    const doubled = `${code}\n\n${code}`;
    expect(colorCode(doubled, language, theme)).toStartWith(colorCode(code, language, theme));
  });
});

test("long lines and many empty ones take no time that grows with their square", () => {
  const long = `${"A".repeat(50_000)}\n${"\n".repeat(50_000)}${" ".repeat(50_000)}`;
  for (const language of Object.keys(samples))
    expect(Bun.stripANSI(colorCode(long, language, theme)).length).toBe(long.length);
});

test("a file's language is the end of its name", () => {
  expect(["src/a.test.ts", "Makefile", "x/Dockerfile", "b.PY"].map(languageOf)).toEqual([
    "ts",
    "makefile",
    "dockerfile",
    "py",
  ]);
});
