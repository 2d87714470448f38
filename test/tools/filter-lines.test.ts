import { afterAll, describe, expect, test } from "bun:test";
import { sharedWatchdog } from "../../src/process/watchdog.ts";
import { filterLines } from "../../src/tools/filter-lines.ts";
import { temporaryDirectory } from "../support/home.ts";

afterAll(() => sharedWatchdog().close());

const services = { home: temporaryDirectory(), searchPath: undefined, cache: "/" };

function filtered(pattern: string, text: string, signal = new AbortController().signal): Promise<string> {
  return filterLines(text, { operation: "bash_output", pattern, signal, services });
}

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

/** A line that does not end in a newline gets one. */
const asText = (some: readonly string[]) => some.map((line) => `${line}\n`).join("");

describe("a filter", () => {
  test.each(patterns)("%s finds the lines that JavaScript's own expression finds", async (pattern) => {
    const own = new RegExp(pattern);
    expect(await filtered(pattern, lines.join("\n"))).toBe(asText(lines.filter((line) => own.test(line))));
  });

  test("ignores case when asked to at its start", async () => {
    expect(await filtered("(?i)warn[a-z]+|É", "WARNING\nwarned\nwarn\né\n")).toBe("WARNING\nwarned\né\n");
  });

  test("knows the named classes of grep and the anchors of Python", async () => {
    const pattern = "\\A[[:upper:]][[:alnum:]_]*[[:space:]][^[:digit:]]\\Z";
    expect(await filtered(pattern, "Ab1_ x\nab x\nAb 1\nAb xy\n")).toBe("Ab1_ x\n");
  });

  test("knows look-around and back-references", async () => {
    expect(await filtered("^(?!ok)(.)\\1", "okay\naab\nabb\nooh\n")).toBe("aab\nooh\n");
  });

  test("keeps whole lines, the last one also without a newline, and empty ones", async () => {
    expect(await filtered("b", "abc\nxyz\n\nb")).toBe("abc\nb\n");
    expect(await filtered("^$", "abc\n\nb\n")).toBe("\n");
    expect(await filtered("z", "abc\n")).toBe("");
    expect(await filtered("z", "")).toBe("");
  });

  test("takes text as it is: zero bytes, carriage returns, what looks like another encoding", async () => {
    const text = "a\0b\r\nÿþ b\n\ufeffx b\n";
    expect(await filtered("b", text)).toBe(text);
    expect(await filtered("b$", text)).toBe("ÿþ b\n\ufeffx b\n");
  });

  test("takes linear time for expressions that make others hang", async () => {
    const evil = `${"a".repeat(50_000)}!`;
    for (const pattern of ["^(a+)+$", "^(a|aa)+$", "^(a*)*b", "(.*)(.*)(.*)x$"]) {
      expect(await filtered(pattern, evil)).toBe("");
    }
  });

  test("stays small when an expression has very many states", async () => {
    const bits = Array.from({ length: 20_000 }, (_, index) => (Math.imul(index, 2654435761) >>> 9) & 1);
    const text = bits.join("");
    expect(await filtered("1[01]{20}2", text)).toBe("");
    expect(await filtered("1[01]{20}2", `${text}1${"0".repeat(20)}2\n`)).toEndWith("02\n");
    expect(await filtered("1[01]{900}2", text.repeat(3))).toBe("");
  });

  test("ends when the call is cancelled", async () => {
    await expect(filtered("a", "a\n", AbortSignal.abort())).rejects.toThrow(
      "bash_output: cancelled (CANCELLED)",
    );
  });
});

describe("an expression that cannot be used is one line", () => {
  const problems: Record<string, string> = {
    "(a": "unclosed group",
    "a)": "unopened group",
    "[a": "unclosed character class",
    "*a": "repetition operator missing expression",
    "a\\": "unclosed group",
    "(?=a": "missing closing parenthesis",
    "(a)\\2": "reference to non-existent subpattern",
    "a{2,1}": "invalid repetition count range, the start must be <= the end",
    "[z-a]": "invalid character class range, the start must be <= the end",
    "\\q": "unrecognized escape sequence",
  };
  test.each(Object.entries(problems))("%s: %s", async (pattern, problem) => {
    await expect(filtered(pattern, "a\n")).rejects.toThrow(
      `bash_output: invalid regex: ${problem} (INVALID_REGEX)`,
    );
    await expect(filtered(pattern, "")).rejects.toThrow(
      `bash_output: invalid regex: ${problem} (INVALID_REGEX)`,
    );
  });

  test("because it needs too many steps", async () => {
    await expect(filtered("(?=a)(a|aa)+$", `${"a".repeat(50_000)}!`)).rejects.toThrow(
      "bash_output: PCRE2: error matching: match limit exceeded (SEARCH_FAILED)",
    );
  });
});
