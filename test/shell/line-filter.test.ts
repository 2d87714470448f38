import { describe, expect, test } from "bun:test";
import { ShellError } from "../../src/shell/errors.ts";
import { LineFilter } from "../../src/shell/filter/line-filter.ts";

const patterns = [
  "error",
  "^start",
  "end$",
  "^$",
  "a.c",
  "a|bc|",
  "(?:ab)+c",
  "(ab|cd){2,3}$",
  "a{2}",
  "a{2,}b?",
  "x*",
  "[a-c]+[^a-c]",
  "[]x]".replace("[]", "[\\]"),
  "\\d+\\s\\w",
  "\\bcat\\b",
  "\\Bcat",
  "[\\d.]+%",
  "\\.ts:\\d+",
  "\\x41|\\u0042",
  "a\\+b",
  "(?<name>a)b",
  "[a-]b",
  "^(a|b)*c$",
  "\\D\\S\\W",
];
const lines = [
  ...[
    "",
    "error",
    "an error here",
    "start of",
    "restart",
    "the end",
    "end.",
    "abc",
    "a\tc",
    "bc",
    "ababc",
    "abcd",
    "cdcdcd",
  ],
  ...[
    "aa",
    "aaab",
    "xyz",
    "cccd",
    "] x",
    "12 a",
    "a cat!",
    "concat",
    "cat",
    "bobcats",
    "99.5%",
    "x.ts:12",
    "A",
    "B",
    "a+b",
    "-b",
  ],
  ...["aabbabc", "ünïcode cat", "  ", "日本 12 x", "_a b"],
];

describe("a filter", () => {
  test("finds the lines that JavaScript's own expression finds", () => {
    for (const pattern of patterns) {
      const own = new RegExp(pattern);
      const filter = new LineFilter(pattern);
      const found = lines.filter((line) => filter.test(line));
      expect({ pattern, found }).toEqual({ pattern, found: lines.filter((line) => own.test(line)) });
    }
  });

  test("ignores case when asked to at its start", () => {
    const filter = new LineFilter("(?i)warn[a-z]+|É");
    expect(["WARNING", "warned", "warn", "é"].filter((line) => filter.test(line))).toEqual([
      "WARNING",
      "warned",
      "é",
    ]);
  });

  test("knows the named classes of grep and the anchors of Python", () => {
    const filter = new LineFilter("\\A[[:upper:]][[:alnum:]_]*[[:space:]][^[:digit:]]\\Z");
    expect(["Ab1_ x", "ab x", "Ab 1", "Ab xy"].filter((line) => filter.test(line))).toEqual(["Ab1_ x"]);
  });

  test("keeps whole lines with their newlines", () => {
    expect(new LineFilter("b").apply("abc\nxyz\n\nb")).toBe("abc\nb");
    expect(new LineFilter("z").apply("abc\n")).toBe("");
  });

  test("takes linear time for expressions that make others hang", () => {
    const evil = `${"a".repeat(50_000)}!`;
    for (const pattern of ["^(a+)+$", "^(a|aa)+$", "^(a*)*b", "(.*)(.*)(.*)x$"]) {
      expect(new LineFilter(pattern).test(evil)).toBe(false);
    }
  });

  test("stays small when an expression has very many states", () => {
    const text = Array.from({ length: 20_000 }, (_, index) => (Math.imul(index, 2654435761) >>> 9) & 1).join(
      "",
    );
    expect(new LineFilter("1[01]{20}2").test(text)).toBe(false);
    expect(new LineFilter("1[01]{20}2").test(`${text}1${"0".repeat(20)}2`)).toBe(true);
  });
});

test("a filter that would take too long for a text says so", () => {
  let random = 1;
  const bits = Array.from({ length: 60_000 }, () => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    return random >>> 31;
  });
  expect(() => new LineFilter("1[01]{900}2").apply(bits.join(""))).toThrow(
    "bash_output: filter '1[01]{900}2' takes too long for this output (INVALID_FILTER)",
  );
});

describe("an expression that cannot be used", () => {
  const problems: Record<string, string> = {
    "(a": "missing ')'",
    "a)": "unmatched ')'",
    "[a": "missing ']'",
    "*a": "nothing to repeat",
    "a**": "nothing to repeat",
    "a\\": "a '\\' at the end",
    "(?=a)": "look-around and inline flags are not supported",
    "(a)\\1": "back-references are not supported",
    "a{2,1}": "numbers out of order in {}",
    "a{2000}": "more than 1000 repetitions",
    "[z-a]": "range out of order in []",
    "[[:nope:]]": "unknown class '[:nope:]'",
    "\\q": "unknown escape '\\q'",
  };
  for (const [pattern, problem] of Object.entries(problems)) {
    test(`${pattern}: ${problem}`, () => {
      const make = () => new LineFilter(pattern);
      expect(make).toThrow(ShellError);
      expect(make).toThrow(
        `bash_output: filter '${pattern}' is not a regular expression that can be used: ${problem} (INVALID_FILTER)`,
      );
    });
  }

  test("because it would be too large", () => {
    expect(() => new LineFilter("((a{100}){100}){100}")).toThrow(
      "bash_output: filter '((a{100}){100}){100}' is too large (INVALID_FILTER)",
    );
  });
});
