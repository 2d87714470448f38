import { describe, expect, test } from "bun:test";
import { asIndexedPixels, asPixels, type Pixels } from "../../../src/ui/images/decode.ts";
import { itermImage, kittyDelete, kittyImage } from "../../../src/ui/images/escapes.ts";
import { cellWithin, fitToCells } from "../../../src/ui/images/fit.ts";
import { asciiArt, halfBlocks, of16 } from "../../../src/ui/images/half-blocks.ts";
import { type ImageOptions, renderImage } from "../../../src/ui/images/render.ts";
import { sixelOf } from "../../../src/ui/images/sixel.ts";
import { pixelsFrom, pngChunk, pngOf, type Rgba, readSixel } from "./pictures.ts";

const red: Rgba = [255, 0, 0, 255];
const blue: Rgba = [0, 0, 255, 255];
const clear: Rgba = [0, 0, 0, 0];
const gradient = pixelsFrom(64, 48, (x, y) => [x * 4, y * 5, (x * y) % 256, 255]);
const gradientPng = pngOf(gradient.rgba, 64, 48);

describe("reading a PNG", () => {
  for (const filter of [0, 1, 2, 3, 4]) {
    test(`with every row through filter ${filter}`, async () => {
      const png = pngOf(gradient.rgba, 64, 48, { filter });
      expect(await asPixels(png, { width: 64, height: 48 })).toEqual(gradient);
    });
  }

  test("of every colour type", async () => {
    const rgba = async (png: Uint8Array, width: number) => [
      ...(await asPixels(png, { width, height: 1 })).rgba,
    ];
    const grey = pngOf(Uint8Array.of(0, 128), 2, 1, { type: 0, channels: 1 });
    expect(await rgba(grey, 2)).toEqual([0, 0, 0, 255, 128, 128, 128, 255]);
    const greyAlpha = pngOf(Uint8Array.of(9, 7), 1, 1, { type: 4, channels: 2 });
    expect(await rgba(greyAlpha, 1)).toEqual([9, 9, 9, 7]);
    const color = pngOf(Uint8Array.of(1, 2, 3), 1, 1, { type: 2, channels: 3 });
    expect(await rgba(color, 1)).toEqual([1, 2, 3, 255]);
    const extra = [pngChunk("PLTE", [1, 2, 3, 4, 5, 6]), pngChunk("tRNS", [0])];
    const palette = pngOf(Uint8Array.of(1, 0), 2, 1, { type: 3, channels: 1, extra });
    expect(await rgba(palette, 2)).toEqual([4, 5, 6, 255, 1, 2, 3, 0]);
  });

  test("that Bun has written", async () => {
    expect(await asPixels(gradientPng, { width: 64, height: 48 })).toEqual(gradient);
  });

  test("anything else is an error", async () => {
    for (const bytes of [Buffer.from("no picture"), gradientPng.subarray(0, 20)])
      expect(asPixels(bytes, { width: 64, height: 48 })).rejects.toThrow();
  });
});

describe("fitting", () => {
  const cell = { width: 10, height: 20 };

  test("keeps a small picture's size and a large one's proportions", () => {
    expect(fitToCells({ width: 100, height: 100 }, cell, { columns: 80, rows: 24 })).toEqual({
      columns: 10,
      rows: 5,
    });
    expect(fitToCells({ width: 1_600, height: 400 }, cell, { columns: 80, rows: 24 })).toEqual({
      columns: 80,
      rows: 10,
    });
    expect(fitToCells({ width: 400, height: 4_800 }, cell, { columns: 80, rows: 24 })).toEqual({
      columns: 4,
      rows: 24,
    });
  });

  test("knows the size of a cell from the window's, and takes it for rather too small than too large", () => {
    expect(cellWithin({ width: 800, height: 680 }, { columns: 100, rows: 40 })).toEqual({
      width: 8,
      height: 17,
    });
    // Windows of cells of 8 by 17 in a terminal that takes pictures of at most 1,000 by 1,000.
    expect(cellWithin({ width: 1_000, height: 850 }, { columns: 200, rows: 50 })).toEqual({
      width: 6,
      height: 17,
    });
    expect(cellWithin({ width: 1_000, height: 1_000 }, { columns: 240, rows: 63 })).toEqual({
      width: 6,
      height: 15,
    });
  });

  test("is never nothing", () => {
    expect(cellWithin({ width: 1, height: 1 }, { columns: 80, rows: 24 })).toEqual({ width: 1, height: 2 });
    expect(fitToCells({ width: 10_000, height: 1 }, cell, { columns: 80, rows: 24 })).toEqual({
      columns: 80,
      rows: 1,
    });
  });
});

describe("kitty and iTerm2", () => {
  test("a picture goes in chunks that put together are the picture", () => {
    const bytes = new Uint8Array(10_000).map((_, at) => at);
    const sequence = kittyImage(bytes, { columns: 8, rows: 4 }, 7);
    const chunks = sequence.split("\x1b\\").filter((chunk) => chunk !== "");
    expect(chunks.map((chunk) => chunk.slice(0, chunk.indexOf(";")))).toEqual([
      "\x1b_Ga=T,f=100,q=2,C=1,c=8,r=4,i=7,m=1",
      "\x1b_Gm=1",
      "\x1b_Gm=1",
      "\x1b_Gm=0",
    ]);
    const data = chunks.map((chunk) => chunk.slice(chunk.indexOf(";") + 1));
    expect(data.every(({ length }) => length <= 4_096)).toBe(true);
    expect(Buffer.from(data.join(""), "base64")).toEqual(Buffer.from(bytes));
    expect(kittyDelete(7)).toBe("\x1b_Ga=d,d=I,i=7,q=2\x1b\\");
  });

  test("a small one is one chunk", () => {
    expect(kittyImage(Uint8Array.of(1), { columns: 1, rows: 1 })).toBe(
      "\x1b_Ga=T,f=100,q=2,C=1,c=1,r=1,m=0;AQ==\x1b\\",
    );
  });

  test("iTerm2 gets its size in cells", () => {
    expect(itermImage(Uint8Array.of(1, 2), { columns: 8, rows: 4 })).toBe(
      "\x1b]1337;File=inline=1;size=2;width=8;height=4;preserveAspectRatio=1:AQI=\x07",
    );
  });
});

describe("sixel", () => {
  const indexed = ({ rgba, width, height }: Pixels) =>
    asIndexedPixels(pngOf(rgba, width, height), { width, height });

  test("gives back few colours exactly, with holes", async () => {
    const flag = pixelsFrom(10, 9, (x, y) => (x === 4 ? clear : y < 4 ? red : blue));
    const { width, height, colors } = readSixel(sixelOf(await indexed(flag)));
    expect([width, height]).toEqual([10, 9]);
    for (let y = 0; y < 9; y++) {
      for (let x = 0; x < 10; x++) {
        expect(colors[y]?.[x]).toBe(x === 4 ? undefined : y < 4 ? "100,0,0" : "0,0,100");
      }
    }
  });

  test("has at most 256 colours, each near the one that it replaces", async () => {
    const many = pixelsFrom(200, 100, (x, y) => [x, y * 2, (x * 7 + y * 3) % 256, 255]);
    const { palette, indexes } = await indexed(many);
    expect(palette.length / 3).toBeLessThanOrEqual(256);
    let error = 0;
    for (let pixel = 0; pixel < indexes.length; pixel++) {
      const at = (indexes[pixel] ?? 0) * 3;
      for (let channel = 0; channel < 3; channel++) {
        error += Math.abs((palette[at + channel] ?? 0) - (many.rgba[pixel * 4 + channel] ?? 0));
      }
    }
    expect(error / (indexes.length * 3)).toBeLessThan(12);
    const read = readSixel(sixelOf(await indexed(many)));
    expect(read.colors.every((row) => row.length === 200 && !row.includes(undefined))).toBe(true);
  });

  test("an empty picture is an empty one", async () => {
    const empty = await indexed(pixelsFrom(3, 3, () => clear));
    expect(readSixel(sixelOf(empty)).colors).toEqual([[], [], []]);
  });
});

describe("half-blocks", () => {
  test("two pixels a cell, colours only where they change, holes left open", () => {
    const pixels = pixelsFrom(4, 2, (x, y) =>
      x < 2 ? (y === 0 ? red : blue) : x === 2 ? (y === 0 ? clear : blue) : clear,
    );
    expect(halfBlocks(pixels, "true")).toEqual([
      "\x1b[38;2;255;0;0m\x1b[48;2;0;0;255m▀▀\x1b[0m\x1b[38;2;0;0;255m▄\x1b[0m ",
    ]);
    expect(halfBlocks(pixels, "256")).toEqual(["\x1b[38;5;196m\x1b[48;5;21m▀▀\x1b[0m\x1b[38;5;21m▄\x1b[0m "]);
    expect(halfBlocks(pixels, "16")[0]).toContain("▀▀");
  });

  test("an odd last row is the upper half", () => {
    expect(
      halfBlocks(
        pixelsFrom(1, 1, () => red),
        "true",
      ),
    ).toEqual(["\x1b[38;2;255;0;0m▀\x1b[0m"]);
  });

  test("the nearest of 256 and of 16 colours", () => {
    const colors = [255, 255, 255, 255, 0, 0, 0, 255, 128, 128, 128, 255, 95, 135, 175, 255];
    const [line = ""] = halfBlocks({ width: 4, height: 1, rgba: Uint8Array.from(colors) }, "256");
    expect([...line.matchAll(/38;5;(\d+)m/g)].map(([, index]) => Number(index))).toEqual([231, 16, 244, 67]);
    expect([of16([250, 250, 250]), of16([10, 0, 0]), of16([180, 10, 10]), of16([90, 90, 250])]).toEqual([
      15, 0, 1, 12,
    ]);
  });

  test("without colours, signs from dark to light", () => {
    expect(asciiArt(pixelsFrom(3, 2, (x) => [x * 127, x * 127, x * 127, 255]))).toEqual([
      " +@".replace("+", "="),
    ]);
  });
});

describe("a picture for the terminal", () => {
  const options: ImageOptions = {
    protocol: undefined,
    limit: { columns: 20, rows: 10 },
    colors: "true",
    hasUnicode: true,
  };

  test("as text it stays within its limits", async () => {
    const image = await renderImage(gradientPng, options);
    expect(image).toMatchObject({ kind: "lines", columns: 20, rows: 8 });
    const lines = image.kind === "lines" ? image.lines : [];
    expect(lines.map((line) => Bun.stringWidth(line))).toEqual(Array.from({ length: 8 }, () => 20));
    const plain = await renderImage(gradientPng, { ...options, colors: "none" });
    expect(plain.kind === "lines" && plain.lines.every((line) => /^[ -~]*$/.test(line))).toBe(true);
  });

  test("JPEG and others go to kitty as PNG, not larger than they are drawn", async () => {
    const jpeg = await new Bun.Image(gradientPng).resize(800, 600).jpeg().bytes();
    const image = await renderImage(jpeg, { ...options, protocol: "kitty", cell: { width: 10, height: 20 } });
    expect(image).toMatchObject({ kind: "sequence", columns: 20, rows: 8 });
    const sequence = image.kind === "sequence" ? image.sequence : "";
    const base64 = sequence
      .split("\x1b\\")
      .map((chunk) => chunk.slice(chunk.indexOf(";") + 1))
      .join("");
    const { format, width, height } = await new Bun.Image(Buffer.from(base64, "base64")).metadata();
    expect({ format, width, height }).toEqual({ format: "png", width: 200, height: 160 });
  });

  test("sixel covers its cells", async () => {
    const image = await renderImage(gradientPng, {
      ...options,
      protocol: "sixel",
      cell: { width: 10, height: 20 },
    });
    expect(image).toMatchObject({ kind: "sequence", columns: 6, rows: 2 });
    expect(readSixel(image.kind === "sequence" ? image.sequence : "")).toMatchObject({
      width: 60,
      height: 40,
    });
  });

  test("kitty's cells are text of the right width, each line with its row", async () => {
    const image = await renderImage(gradientPng, {
      ...options,
      protocol: "kitty",
      id: 0x010203,
      hasCells: true,
    });
    expect(image).toMatchObject({ kind: "cells", columns: 6, rows: 2 });
    const { upload, lines } = image.kind === "cells" ? image : { upload: "", lines: [] };
    expect(upload.startsWith("\x1b_Ga=T,U=1,f=100,q=2,c=6,r=2,i=66051,m=")).toBe(true);
    const cell = "\u{10EEEE}";
    expect(lines).toEqual([
      `\x1b[38;2;1;2;3m${cell}\u0305\u0305${cell.repeat(5)}\x1b[39m`,
      `\x1b[38;2;1;2;3m${cell}\u030d\u0305${cell.repeat(5)}\x1b[39m`,
    ]);
    expect(lines.map((line) => Bun.stringWidth(line))).toEqual([6, 6]);
  });

  test("behind tmux it is passed through", async () => {
    const image = await renderImage(gradientPng, { ...options, protocol: "kitty", multiplexer: "tmux" });
    expect(image.kind === "sequence" && image.sequence.startsWith("\x1bPtmux;\x1b\x1b_G")).toBe(true);
  });

  test("what is no picture, or a broken one, says why", async () => {
    expect(await renderImage(Buffer.from("hello"), options)).toEqual({
      kind: "placeholder",
      reason: "unrecognised format (expected JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF)",
    });
    const cut = await renderImage(gradientPng.subarray(0, 100), options);
    expect(cut.kind).toBe("placeholder");
    expect((await renderImage(new Uint8Array(0), options)).kind).toBe("placeholder");
    expect((await renderImage(gradientPng, { ...options, limit: { columns: 0, rows: 0 } })).kind).toBe(
      "placeholder",
    );
  });

  test("a small file that claims to be huge is refused", async () => {
    const bomb = pngOf(new Uint8Array(0), 0, 0);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    expect((await renderImage(bomb, options)).kind).toBe("placeholder");
  });

  test("bytes damaged anywhere never throw", async () => {
    for (let at = 0; at < gradientPng.length; at += 97) {
      const damaged = Buffer.from(gradientPng);
      damaged[at] = (damaged[at] ?? 0) ^ 0x55;
      const image = await renderImage(damaged, options);
      expect(["lines", "placeholder"]).toContain(image.kind);
    }
  });
});
