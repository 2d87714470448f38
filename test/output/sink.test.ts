import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ArtifactStore } from "../../src/output/artifacts.ts";
import { OutputSink } from "../../src/output/sink.ts";
import { modelTail, type TruncationPolicy } from "../../src/output/truncation.ts";
import { temporaryDirectory } from "../support/home.ts";

function capture(chunks: Iterable<Uint8Array | string>, policy: TruncationPolicy = modelTail) {
  const live: string[] = [];
  const sink = new OutputSink({ policy, onText: (text) => live.push(text) });
  for (const chunk of chunks) sink.write(chunk);
  return { ...sink.finish(), live: live.join("") };
}

const shown = (...chunks: (Uint8Array | string)[]) => capture(chunks).text;

test("short output is whole, and there is nothing to say about it", () => {
  expect(capture(["hello\n", "world"])).toEqual({
    text: "hello\nworld",
    notice: undefined,
    truncated: false,
    totalBytes: 11,
    totalLines: 2,
    artifact: undefined,
    binary: false,
    live: "hello\nworld",
  });
});

test("no output at all is no line and makes no artifact", () => {
  const directory = join(temporaryDirectory(), "artifacts");
  const artifacts = new ArtifactStore({ directory, maxTotalBytes: 1000, maxAgeMs: 1000 });
  const sink = new OutputSink({ policy: modelTail, artifacts });
  sink.write("");
  expect(sink.finish()).toEqual({
    text: "",
    notice: undefined,
    truncated: false,
    totalBytes: 0,
    totalLines: 0,
    artifact: undefined,
    binary: false,
  });
});

test("finish gives the same value again, and what is written after it is let go", () => {
  const sink = new OutputSink({ policy: modelTail });
  sink.write("one\n");
  const first = sink.finish();
  sink.write("two\n");
  expect(sink.finish()).toBe(first);
  expect(first.text).toBe("one\n");
});

test("a progress bar is its last state", () => {
  expect(shown("  0%", "\r 50%", "\r100%\n", "done\n")).toBe("100%\ndone\n");
  expect(shown("downloading\rdone\n")).toBe("doneloading\n");
  expect(shown("downloading\r\x1b[Kdone\n")).toBe("done\n");
  expect(shown("downloading\x1b[2K\rdone\n")).toBe("done\n");
  expect(shown("bar\r   \r")).toBe("");
});

test("a carriage return before a newline changes nothing, also when a chunk ends between them", () => {
  expect(shown("one  \r\ntwo\r", "\nthree\r\r\n")).toBe("one  \ntwo\nthree\n");
});

test("backspaces move over what is then overwritten", () => {
  expect(shown("passwort\b\bd\n")).toBe("passwodt\n");
  expect(shown("|\b/\b-\b\\\b \n")).toBe("\n");
  expect(shown("日本\b\bx\n")).toBe("日x\n");
  expect(shown("日本\b\b\bx\n")).toBe(" x本\n");
});

test("colours are for the screen only, and do not run out of it", () => {
  expect(capture(["\x1b[1;31mred\x1b", "[0m plain \x1b[32mgreen\n"])).toMatchObject({
    text: "red plain green\n",
    live: "\x1b[1;31mred\x1b[0m plain \x1b[32mgreen\n\x1b[0m",
  });
});

test("what would change the terminal reaches neither the screen nor the model", () => {
  const { text, live } = capture([
    "a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c\x1b[?1049hd\x1b[10;10He\x1b[6nf\x1bPq~\x1b\\g\x1bch\x07\x0e\x01\x7f\u009bi\n",
  ]);
  expect({ text, live }).toEqual({ text: "abcdefghi\n", live: "abcdefghi\n" });
});

test("a title that is never ended hides one line and no more", () => {
  expect(shown("\x1b]0;oops\nthe rest\n")).toBe("\nthe rest\n");
});

test("a character that is split across chunks is one character", () => {
  const bytes = Buffer.from("é€🚀");
  expect(shown(...[...bytes].map((byte) => Buffer.of(byte)))).toBe("é€🚀");
  expect(shown("🚀".charAt(0), "🚀".charAt(1))).toBe("🚀");
  expect(shown("🚀".charAt(0))).toBe("\ufffd");
});

test("the caller may reuse its buffer", () => {
  const sink = new OutputSink({ policy: modelTail });
  const buffer = Buffer.from("GIF\xc3");
  sink.write(buffer);
  buffer.fill(0x2a);
  expect(sink.finish().text).toBe("GIFÃ");
});

test("the artifact has every byte, and the notice names it", () => {
  const artifacts = new ArtifactStore({ directory: temporaryDirectory(), maxTotalBytes: 1e6, maxAgeMs: 1e9 });
  const sink = new OutputSink({ policy: { keep: "tail", maxChars: 100, maxLines: 2 }, artifacts });
  sink.write("\x1b[31mone\r\n");
  sink.write(Buffer.from("two\nthree\n"));
  const { artifact = "", ...rest } = sink.finish();
  expect(rest).toEqual({
    text: "two\nthree\n",
    notice: `[output cut: showing the last 2 of 3 lines, 10 characters of 20 bytes; full output: artifact://${artifact}]`,
    truncated: true,
    totalBytes: 20,
    totalLines: 3,
    binary: false,
  });
  expect(readFileSync(artifacts.find(artifact) ?? "", "utf8")).toBe("\x1b[31mone\r\ntwo\nthree\n");
});

test("an artifact that the size cap cuts off says how much it holds", () => {
  const artifacts = new ArtifactStore({ directory: temporaryDirectory(), maxTotalBytes: 10, maxAgeMs: 1e9 });
  const sink = new OutputSink({ policy: modelTail, artifacts });
  sink.write("0123456");
  sink.write("789abc");
  sink.write("def\n");
  const { text, notice, artifact = "" } = sink.finish();
  expect(text).toBe("0123456789abcdef\n");
  expect(notice).toBe(`[artifact://${artifact} holds only the first 10 bytes]`);
  expect(readFileSync(artifacts.find(artifact) ?? "", "utf8")).toBe("0123456789");
});

test("a directory that cannot be made costs the artifact and nothing else", () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  const artifacts = new ArtifactStore({
    directory: join(file, "artifacts"),
    maxTotalBytes: 10,
    maxAgeMs: 1e9,
  });
  const run = (policy: TruncationPolicy) => {
    const sink = new OutputSink({ policy, artifacts });
    sink.write("one\ntwo\n");
    const { text, notice, artifact } = sink.finish();
    return { text, notice, artifact };
  };
  expect(run(modelTail)).toEqual({
    text: "one\ntwo\n",
    notice: "artifact: the full output could not be kept (ENOTDIR)",
    artifact: undefined,
  });
  expect(run({ keep: "head", maxChars: 3 })).toEqual({
    text: "one",
    notice:
      "[output cut: showing the first 3 characters of 2 lines, 8 bytes]\nartifact: the full output could not be kept (ENOTDIR)",
    artifact: undefined,
  });
});
