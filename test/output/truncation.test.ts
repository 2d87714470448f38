import { expect, test } from "bun:test";
import {
  createKeeper,
  execMiddle,
  modelTail,
  scriptStderrHead,
  scriptStdoutHead,
  type TruncationPolicy,
} from "../../src/output/truncation.ts";

function truncate(text: string, policy: TruncationPolicy) {
  const keeper = createKeeper(policy);
  keeper.append(text);
  return keeper.finish();
}

const tail = (text: string, maxChars: number, maxLines = 1000) =>
  truncate(text, { keep: "tail", maxChars, maxLines });
const middle = (text: string, maxBytes: number) => truncate(text, { keep: "middle", maxBytes });

test("the limits are those of the contract", () => {
  expect({ modelTail, scriptStdoutHead, scriptStderrHead, execMiddle }).toEqual({
    modelTail: { keep: "tail", maxChars: 30_000, maxLines: 2_000 },
    scriptStdoutHead: { keep: "head", maxChars: 50_000 },
    scriptStderrHead: { keep: "head", maxChars: 10_000 },
    execMiddle: { keep: "middle", maxBytes: 1_048_576 },
  });
});

test("a text at the limit is whole", () => {
  expect(tail("12345\n789\n", 10, 2)).toEqual({ text: "12345\n789\n", cut: undefined });
  expect(truncate("12345", { keep: "head", maxChars: 5 })).toEqual({ text: "12345", cut: undefined });
  expect(middle("äöü", 6)).toEqual({ text: "äöü", cut: undefined });
});

test("the tail is whole lines, and as many as may be kept", () => {
  expect(tail("a\nb\nc\n", 100, 2)).toEqual({
    text: "b\nc\n",
    cut: { keep: "tail", lines: 2, characters: 4, partialLine: false },
  });
  expect(tail("a\nb\nc", 100, 2).text).toBe("b\nc");
  expect(tail("\n\n\n", 100, 2).text).toBe("\n\n");
  expect(tail("first\nsecond\nthird\n", 8).text).toBe("third\n");
  expect(tail("first\nsecond\nthird\n", 13).text).toBe("second\nthird\n");
});

test("of one enormous line the end is kept, and no character is halved", () => {
  const cut = (characters: number) => ({ keep: "tail", lines: 1, characters, partialLine: true }) as const;
  expect(tail("0123456789", 4)).toEqual({ text: "6789", cut: cut(4) });
  expect(tail("short\n0123456789\n", 4)).toEqual({ text: "789\n", cut: cut(4) });
  expect(tail("🚀🚀🚀", 3)).toEqual({ text: "🚀", cut: cut(2) });
});

test("the head is the first characters, and no character is halved", () => {
  expect(truncate("one\ntwo\n", { keep: "head", maxChars: 5 })).toEqual({
    text: "one\nt",
    cut: { keep: "head", characters: 5 },
  });
  expect(truncate("a🚀b", { keep: "head", maxChars: 2 }).text).toBe("a");
});

test("the middle goes at line boundaries, and a line says how much went", () => {
  const text = Array.from({ length: 100 }, (_, at) => `line ${String(at).padStart(2, "0")}\n`).join("");
  expect(middle(text, 50)).toEqual({
    text: "line 00\nline 01\nline 02\n[… 752 bytes cut here …]\nline 97\nline 98\nline 99\n",
    cut: { keep: "middle", cutBytes: 752, totalBytes: 800 },
  });
});

test("one enormous line loses its middle between characters", () => {
  expect(middle("ä".repeat(50), 11)).toEqual({
    text: `ää\n[… 90 bytes cut here …]\näää`,
    cut: { keep: "middle", cutBytes: 90, totalBytes: 100 },
  });
});

test("a short first line does not cost the half that it is in", () => {
  const { text } = middle(`x\n${"0123456789".repeat(10)}`, 20);
  expect(text).toBe("x\n01234567\n[… 82 bytes cut here …]\n0123456789");
});
