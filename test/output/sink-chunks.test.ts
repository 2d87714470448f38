/** However a stream is cut, the same comes out, and it is what the reference says. */

import { expect, test } from "bun:test";
import { type CapturedOutput, OutputSink } from "../../src/output/sink.ts";
import type { TruncationPolicy } from "../../src/output/truncation.ts";
import { cutText, randomChunks, randomText, seededRandom, shownByTerminal } from "./reference.ts";

const wide: TruncationPolicy = { keep: "tail", maxChars: 1_000_000, maxLines: 100_000 };

function capture(chunks: Iterable<Uint8Array | string>, policy: TruncationPolicy) {
  let live = "";
  const sink = new OutputSink({ policy, onText: (text) => (live += text) });
  for (const chunk of chunks) sink.write(chunk);
  return { captured: sink.finish(), live };
}

function expected(text: string, policy: TruncationPolicy): Omit<CapturedOutput, "notice"> {
  const shown = shownByTerminal(text);
  const kept = cutText(shown, policy);
  return {
    text: kept,
    truncated: kept !== shown,
    totalBytes: Buffer.byteLength(text),
    totalLines: text.split("\n").length - (text.endsWith("\n") || text === "" ? 1 : 0),
    artifact: undefined,
    binary: false,
  };
}

test("any chunking of any text gives what one write gives, and what the reference gives", () => {
  for (let seed = 1; seed <= 120; seed++) {
    const random = seededRandom(seed);
    const text = randomText(random, 1 + random(400));
    const policies: TruncationPolicy[] = [
      wide,
      { keep: "tail", maxChars: 1 + random(200), maxLines: 1 + random(12) },
      { keep: "head", maxChars: 1 + random(200) },
    ];
    const bytes = Buffer.from(text);
    for (const policy of policies) {
      const once = capture([bytes], policy);
      const { notice: _, ...captured } = once.captured;
      expect({ seed, ...captured }).toEqual({ seed, ...expected(text, policy) });
      expect({ seed, ...capture(randomChunks(bytes, random, 40), policy) }).toEqual({ seed, ...once });
      expect({ seed, ...capture(randomChunks(bytes, random, 1), policy) }).toEqual({ seed, ...once });
      expect({ seed, ...capture([...text], policy) }).toEqual({ seed, ...once });
    }
  }
});

test("large plain output, which takes a shorter way inside, comes out the same", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed);
    let text = "";
    while (text.length < 60_000) {
      text += random(50) === 0 ? randomText(random, 8) : `line ${random(1000)} é ✓ 日本 🚀 of plain text\n`;
    }
    const policy: TruncationPolicy = { keep: "tail", maxChars: 5000, maxLines: 90 };
    const bytes = Buffer.from(text);
    const once = capture([bytes], policy);
    const { notice: _, ...captured } = once.captured;
    expect({ seed, ...captured }).toEqual({ seed, ...expected(text, policy) });
    expect({ seed, ...capture(randomChunks(bytes, random, 20_000), policy) }).toEqual({ seed, ...once });
    expect({ seed, ...capture(randomChunks(bytes, random, 700), policy) }).toEqual({ seed, ...once });
  }
});

test("the middle that is cut out does not depend on the chunks either", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const bytes = Buffer.from(randomText(random, 300));
    const policy: TruncationPolicy = { keep: "middle", maxBytes: 1 + random(400) };
    expect({ seed, ...capture(randomChunks(bytes, random, 30), policy) }).toEqual({
      seed,
      ...capture([bytes], policy),
    });
  }
});

test("the screen gets colours, and nothing else that a terminal would act on", () => {
  const random = seededRandom(7);
  const { live } = capture([randomText(random, 5000)], wide);
  const controls = new Set(
    [...live].filter((character) => Bun.stringWidth(character) === 0 && character < "\u00a0"),
  );
  expect(controls).toEqual(new Set(["\n", "\r", "\t", "\b", "\x1b"]));
  const sequences = new Set(
    live
      .split("\x1b")
      .slice(1)
      .map((after) => after.match(/^\[[\d;:]*m/)?.[0]),
  );
  expect(sequences).toEqual(new Set(["[31m", "[0m", "[m", "[1;38;5;208m", "[38:2::1:2:3m", "[1m"]));
});
