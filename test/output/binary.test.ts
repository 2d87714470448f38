import { expect, test } from "bun:test";
import { deflateSync, gzipSync } from "node:zlib";
import { OutputSink } from "../../src/output/sink.ts";
import { modelTail } from "../../src/output/truncation.ts";
import { randomChunks, seededRandom } from "./reference.ts";

function capture(chunks: Iterable<Uint8Array | string>) {
  let live = "";
  const sink = new OutputSink({
    policy: modelTail,
    onText: (text) => {
      live += text;
    },
  });
  for (const chunk of chunks) sink.write(chunk);
  const { text, binary, notice } = sink.finish();
  return { text, binary, notice, live };
}

const random = seededRandom(42);
const noise = Buffer.from(Array.from({ length: 3000 }, () => random(256)));
const png = Buffer.concat([
  Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10", "latin1"),
  deflateSync(noise),
  Buffer.from("\0\0\0\0IEND\xaeB`\x82", "latin1"),
]);
const note = (bytes: number, type: string) =>
  `[binary output: ${bytes.toLocaleString("en-US")} bytes, ${type}]\n`;

test("a binary stream is a note with its size and type, on the screen and for the model", () => {
  const expected = note(png.length, "image/png");
  expect(capture([png])).toEqual({
    text: expected,
    live: expected,
    binary: true,
    notice: "[binary output not shown]",
  });
});

test("the types that people print by accident are known by how they begin", () => {
  const typeOf = (start: string) => {
    const { text } = capture([Buffer.concat([Buffer.from(start, "latin1"), noise])]);
    return text.match(/^\[binary output: [\d,]+ bytes, (.*)\]\n$/)?.[1];
  };
  expect({
    jpeg: typeOf("\xff\xd8\xff\xe0\0\x10JFIF"),
    gif: typeOf("GIF89a\x01\0\x01\0"),
    webp: typeOf("RIFF\x24\x01\0\0WEBPVP8 "),
    pdf: typeOf("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
    zip: typeOf("PK\x03\x04\x14\0\0\0"),
    gzip: typeOf("\x1f\x8b\x08\0"),
    elf: typeOf("\x7fELF\x02\x01\x01\0"),
    sqlite: typeOf("SQLite format 3\0\x10\0"),
    parquet: typeOf("PAR1\x15\x04\x15\0"),
    numpy: typeOf("\x93NUMPY\x01\0v\0{'descr': '<f8'}\n"),
    mp4: typeOf("\0\0\0\x20ftypisom"),
    other: typeOf("\xf1\xf2\xf3"),
  }).toEqual({
    jpeg: "image/jpeg",
    gif: "image/gif",
    webp: "image/webp",
    pdf: "application/pdf",
    zip: "application/zip",
    gzip: "application/gzip",
    elf: "application/x-elf",
    sqlite: "application/vnd.sqlite3",
    parquet: "application/vnd.apache.parquet",
    numpy: "application/x-numpy",
    mp4: "video/mp4",
    other: "application/octet-stream",
  });
});

test("text before and after a binary stretch stays readable", () => {
  const expected = `before\n${note(png.length, "image/png")}after\n`;
  expect(capture(["before\n", png, "after\n"]).text).toBe(expected);
  expect(capture([Buffer.concat([Buffer.from("before\n"), png, Buffer.from("after\n")])]).text).toBe(
    expected,
  );
  expect(capture(["before", png, "after"]).text).toBe(`before\n${note(png.length, "image/png")}after`);
  expect(capture(["one\n", png, "two\n", png, "three\n"]).text).toBe(
    `one\n${note(png.length, "image/png")}two\n${note(png.length, "image/png")}three\n`,
  );
});

test("much text after a binary stretch is text again wherever the chunks fall", () => {
  const text = "a line of text after it\n".repeat(400);
  const bytes = Buffer.concat([gzipSync(noise), Buffer.from(text)]);
  expect(capture([bytes]).text).toBe(`${note(bytes.length - text.length, "application/gzip")}${text}`);
});

test("the text parts of a PDF are parts of the PDF", () => {
  const pdf = Buffer.concat([
    Buffer.from("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Length 3000 >>\nstream\n", "latin1"),
    noise,
    Buffer.from(`\nendstream\nendobj\nxref\n${"0000000016 00000 n \n".repeat(500)}trailer\n%%EOF\n`),
  ]);
  expect(capture([pdf, "done\n"]).text).toBe(`${note(pdf.length, "application/pdf")}done\n`);
  expect(capture([Buffer.concat([pdf, Buffer.from("done\n")])]).text).toBe(
    `${note(pdf.length, "application/pdf")}done\n`,
  );
});

test("where a binary stretch begins and what it is does not depend on the chunks", () => {
  for (const start of [
    "GIF89a\x01\0\x01\0",
    "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "\x1f\x8b\x08\0",
    "PK\x03\x04\x14\0",
    "\x89PNG\r\n\x1a\n\0",
  ]) {
    const bytes = Buffer.concat([Buffer.from(`text\n${start}`, "latin1"), noise, Buffer.of(0)]);
    const once = capture([bytes]);
    for (let seed = 1; seed <= 20; seed++) {
      const pieces = randomChunks(bytes, seededRandom(seed), seed === 1 ? 1 : 400);
      expect({ start, seed, ...capture(pieces) }).toEqual({ start, seed, ...once });
    }
  }
});

test("stray bytes of an older encoding are replaced one by one", () => {
  const latin1 = Buffer.from("caf\xe9 cr\xe8me, na\xefve\n".repeat(50), "latin1");
  const expected = {
    text: "caf\ufffd cr\ufffdme, na\ufffdve\n".repeat(50),
    binary: false,
    notice: undefined,
  };
  expect(capture([latin1])).toMatchObject(expected);
  expect(capture(randomChunks(latin1, seededRandom(3), 7))).toMatchObject(expected);
  expect(capture([Buffer.from("\xe9", "latin1")]).text).toBe("\ufffd");
});

test("undecodable bytes are replaced as every other decoder does it", () => {
  const bytes = Buffer.from(
    "a\xc3 b\xe2\x82 c\xf0\x9f\x9a d\xed\xa0\x80 e\xc0\xaf f\xf5 some more words to keep the rate low, and more, and more\n",
    "latin1",
  );
  expect(capture([bytes]).text).toBe(new TextDecoder().decode(bytes));
  expect(capture(randomChunks(bytes, seededRandom(5), 3)).text).toBe(new TextDecoder().decode(bytes));
});

test("NULs among text are signs, and hide nothing around them", () => {
  const rows = Array.from({ length: 300 }, (_, row) => `row ${row} a\0b of a table\n`).join("");
  for (const text of ["hello\0world and more\n", "usr\0bin\0lib\0etc", "\0", rows]) {
    const shown = text.replaceAll("\0", "␀");
    const expected = { text: shown, live: shown, binary: false, notice: undefined };
    expect(capture([text])).toEqual(expected);
    expect(capture(randomChunks(Buffer.from(text), seededRandom(9), 40))).toEqual(expected);
  }
});

test("mostly NULs are no text", () => {
  const utf16 = Buffer.from("in sixteen bits\n".repeat(20), "utf16le");
  expect(capture([Buffer.alloc(5_000)]).text).toBe(note(5_000, "application/octet-stream"));
  expect(capture([utf16]).text).toBe(`i\n${note(utf16.length - 1, "application/octet-stream")}`);
});

test("no control character of a binary stream reaches the screen", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const next = seededRandom(seed);
    const bytes = Buffer.from(Array.from({ length: 500 + next(2000) }, () => next(256)));
    const { live } = capture(randomChunks(bytes, next, 300));
    const controls = [...live.replaceAll("\x1b[0m", "")].filter(
      (c) => c < " " || (c >= "\x7f" && c < "\xa0"),
    );
    expect({ seed, controls: controls.filter((c) => !"\n\r\t\b".includes(c)) }).toEqual({
      seed,
      controls: [],
    });
  }
});
