import { describe, expect, test } from "bun:test";
import { parseRgb, ReplyParser, type TerminalReply } from "../../../src/ui/terminal/replies.ts";

const answers =
  "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\" +
  "\x1bP>|kitty(0.36.4)\x1b\\" +
  "\x1b[?1u" +
  "\x1b[6;20;10t" +
  "\x1b[?2;0;800;680S" +
  "\x1b_Gi=31;OK\x1b\\" +
  "\x1b[>1;4000;36c" +
  "\x1b[?62;4;22c";

const expected: TerminalReply[] = [
  { kind: "background", color: { red: 0x1e1e / 0xffff, green: 0x1e1e / 0xffff, blue: 0x2e2e / 0xffff } },
  { kind: "version", name: "kitty(0.36.4)" },
  { kind: "kitty keyboard", flags: 1 },
  { kind: "cell size", width: 10, height: 20 },
  { kind: "sixel size", width: 800, height: 680 },
  { kind: "kitty graphics", isSupported: true },
  { kind: "secondary attributes", parameters: [1, 4000, 36] },
  { kind: "attributes", parameters: [62, 4, 22] },
];

/** What a person typed while the terminal answered: letters, an arrow, Alt+B, a key with modifiers, a paste. */
const typed = "hi \x1b[A\x1bb\x1b[1;5D日本\x1b[200~x\x1b[201~\x1b[97;5u";

function parse(chunks: readonly string[]): { replies: TerminalReply[]; input: string } {
  const parser = new ReplyParser();
  const replies: TerminalReply[] = [];
  let input = "";
  for (const chunk of chunks) {
    const parsed = parser.push(chunk);
    replies.push(...parsed.replies);
    input += parsed.input;
  }
  return { replies, input: input + parser.flush() };
}

test("answers are told from keys, whole and split at every place", () => {
  const mixed = `${typed}${answers}${typed}`;
  expect(parse([mixed])).toEqual({ replies: expected, input: typed + typed });
  for (let at = 0; at <= mixed.length; at++) {
    expect(parse([mixed.slice(0, at), mixed.slice(at)])).toEqual({ replies: expected, input: typed + typed });
  }
  expect(parse([...mixed])).toEqual({ replies: expected, input: typed + typed });
});

test("keys between the answers keep their order", () => {
  const parts = answers.split(/(?=\p{Cc}[[\]P_])/u).join("k");
  expect(parse([...parts])).toEqual({ replies: expected, input: "kkkkkkk" });
});

test("a terminal that does not know the size of its pictures types nothing with its answer", () => {
  // The first is mlterm's.
  expect(parse(["\x1b[?1;3;0S\x1b[?2;1S"])).toEqual({
    replies: [
      { kind: "sixel size", width: 0, height: 0 },
      { kind: "sixel size", width: 0, height: 0 },
    ],
    input: "",
  });
});

describe("what is no answer", () => {
  test("a lone Escape is held until it is clear that nothing follows", () => {
    const parser = new ReplyParser();
    expect(parser.push("\x1b")).toEqual({ replies: [], input: "" });
    expect(parser.flush()).toBe("\x1b");
    expect(parser.flush()).toBe("");
  });

  test("a string that never ends is not waited for for ever", () => {
    const parser = new ReplyParser();
    const endless = `\x1b]11;${"x".repeat(5_000)}`;
    expect(parser.push(endless).input).toBe(endless);
  });

  test("other sequences go on unchanged", () => {
    const others = "\x1b]52;c;aGk=\x07\x1b[3;1R\x1b[>1;10;0d\x1bP1$r0m\x1b\\\x1b[t";
    expect(parse([others])).toEqual({ replies: [], input: others });
  });

  test("a broken sequence does not take the next one with it", () => {
    expect(parse(["\x1b[12\x1b[?62c"])).toEqual({
      replies: [{ kind: "attributes", parameters: [62] }],
      input: "\x1b[12",
    });
  });
});

test("colours come in several spellings", () => {
  expect(parseRgb("rgb:f/0/8")).toEqual({ red: 1, green: 0, blue: 8 / 15 });
  expect(parseRgb("rgba:ffff/0000/0000/ffff")).toEqual({ red: 1, green: 0, blue: 0 });
  expect(parseRgb("#00ff00")).toEqual({ red: 0, green: 1, blue: 0 });
  expect(parseRgb("red")).toBeUndefined();
});
