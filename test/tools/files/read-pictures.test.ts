import { beforeEach, describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { type FilePlace, filePlace } from "./file-place.ts";

let place: FilePlace;
beforeEach(() => {
  place = filePlace();
});

const read = (path: string, more: Record<string, unknown> = {}) => place.run("read", { path, ...more });

/** A grey picture, made by hand: no program is needed for it. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(Bun.hash.crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const pixels = deflateSync(Buffer.alloc((width + 1) * height, 0));
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

describe("a picture", () => {
  test("is shown to the model as it is, whatever it is called", async () => {
    const bytes = png(3, 2);
    place.put("plot.dat", bytes);
    const { output, images, isError, details } = await read("plot.dat");
    expect(output).toBe(`[image/png, shown at 3 × 2 pixels, ${bytes.length} bytes]`);
    expect(images).toEqual([{ mediaType: "image/png", base64: bytes.toString("base64") }]);
    expect(isError).toBe(false);
    expect(details).toMatchObject({ mediaType: "image/png", width: 3, height: 2, totalBytes: bytes.length });
  });

  test.each(["jpeg", "webp"] as const)("of type %s is shown, too", async (format) => {
    const image = new Bun.Image(png(4, 4));
    place.put("a", await (format === "jpeg" ? image.jpeg() : image.webp()).bytes());
    const { images } = await read("a");
    expect(images?.map(({ mediaType }) => mediaType)).toEqual([`image/${format}`]);
  });

  test("of type gif is shown, too", async () => {
    const base64 = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
    place.put("a", Buffer.from(base64, "base64"));
    expect((await read("a")).images).toEqual([{ mediaType: "image/gif", base64 }]);
  });

  test("that is too large for providers is scaled down", async () => {
    place.put("big.png", png(4000, 1000));
    const { output, images } = await read("big.png");
    expect(output).toStartWith("[image/png, shown at 1568 × 392 pixels, ");
    expect(await new Bun.Image(Buffer.from(images?.[0]?.base64 ?? "", "base64")).metadata()).toMatchObject({
      width: 1568,
      height: 392,
    });
  });

  test("that ends too soon is not sent, though its header is whole", async () => {
    const whole = png(300, 200);
    place.put("cut.png", whole.subarray(0, whole.length - 40));
    const { output, images, isError } = await read("cut.png");
    expect(output).toMatch(/^read: 'cut\.png' cannot be shown \(image\/png, \d+ bytes\): .* \(BAD_IMAGE\)$/);
    expect(images).toBeUndefined();
    expect(isError).toBe(true);
  });

  test("that is broken is an error in one line", async () => {
    place.put("bad.png", png(3, 2).subarray(0, 20));
    const { output, isError } = await read("bad.png");
    expect(output).toMatch(/^read: 'bad\.png' cannot be shown \(image\/png, 20 bytes\): .* \(BAD_IMAGE\)$/);
    expect(isError).toBe(true);
  });
});

describe("a notebook", () => {
  const notebook = (cells: unknown[]) =>
    JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });

  test("is shown cell by cell, with the text of its outputs and its pictures", async () => {
    const picture = png(2, 2).toString("base64");
    place.put(
      "a.ipynb",
      notebook([
        { cell_type: "markdown", source: ["# Title\n", "words"] },
        {
          cell_type: "code",
          execution_count: 3,
          source: "print(1)\nplot()\n",
          outputs: [
            { output_type: "stream", name: "stdout", text: ["1\n", "2\n"] },
            { output_type: "display_data", data: { "image/png": picture, "text/plain": "<Figure>" } },
            { output_type: "execute_result", data: { "text/html": "<b>x</b>", "text/plain": ["x"] } },
          ],
        },
        {
          cell_type: "code",
          execution_count: null,
          source: "1/0",
          outputs: [
            { output_type: "error", ename: "E", traceback: ["\x1b[31mZeroDivisionError\x1b[0m", "at 1"] },
          ],
        },
        { cell_type: "code", source: "", outputs: [] },
      ]),
    );
    const { output, images, details, isError } = await read("a.ipynb");
    expect(output).toBe(
      [
        "[cell 1: markdown]",
        "# Title",
        "words",
        "[cell 2: code, run 3]",
        "print(1)",
        "plot()",
        "[output]",
        "1",
        "2",
        "[picture 1: image/png, 2 × 2]",
        "x",
        "[cell 3: code]",
        "1/0",
        "[output]",
        "ZeroDivisionError",
        "at 1",
        "[cell 4: code]",
      ].join("\n"),
    );
    expect(images).toEqual([{ mediaType: "image/png", base64: picture }]);
    expect(details).toMatchObject({ cellCount: 4, truncated: false });
    expect(isError).toBe(false);
  });

  test("has its pictures sent as what they are, not as what it calls them", async () => {
    const base64 = Buffer.from(await new Bun.Image(png(4, 4)).jpeg().bytes()).toString("base64");
    const outputs = [{ output_type: "display_data", data: { "image/png": base64 } }];
    place.put("a.ipynb", notebook([{ cell_type: "code", source: "", outputs }]));
    expect((await read("a.ipynb")).images).toEqual([{ mediaType: "image/jpeg", base64 }]);
  });

  test("is read in ranges of cells", async () => {
    place.put("a.ipynb", notebook([1, 2, 3, 4].map((n) => ({ cell_type: "raw", source: `s${n}` }))));
    expect((await read("a.ipynb", { offset: 2, limit: 2 })).output).toBe(
      "[cell 2: raw]\ns2\n[cell 3: raw]\ns3\n[cells 2-3 of 4; continue with offset 4]",
    );
    expect((await read("a.ipynb", { offset: -1 })).output).toBe("[cell 4: raw]\ns4");
    expect((await read("a.ipynb", { offset: 5 })).output).toBe(
      "read: offset 5 is past the end: the notebook has 4 cells (OUT_OF_RANGE)",
    );
  });

  test("that is long stops between cells; long outputs are abridged", async () => {
    const cell = { cell_type: "raw", source: "x".repeat(9_000) };
    const long = { output_type: "stream", text: "y".repeat(5_000) };
    place.put("a.ipynb", notebook([cell, cell, cell, cell, cell]));
    expect((await read("a.ipynb")).output).toEndWith("[cells 1-3 of 5; continue with offset 4]");
    place.put("b.ipynb", notebook([{ cell_type: "code", source: "a", outputs: [long] }]));
    expect((await read("b.ipynb")).output).toBe(
      `[cell 1: code]\na\n[output]\n${"y".repeat(1_000)}… [4,000 more characters]`,
    );
  });

  test("without cells, and one that is none, are told from each other", async () => {
    place.put("empty.ipynb", notebook([]));
    place.put("bad.ipynb", '{"cells": 1}\n{');
    expect((await read("empty.ipynb")).output).toBe("(notebook without cells)");
    expect((await read("bad.ipynb")).output).toBe('1|{"cells": 1}\n2|{');
  });
});
