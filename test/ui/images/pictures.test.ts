import { describe, expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import type { AgentEvent, ToolResult } from "../../../src/protocol/index.ts";
import { imageOptions } from "../../../src/ui/images/picture-options.ts";
import { Pictures, withPictures } from "../../../src/ui/images/pictures.ts";
import type { Picture } from "../../../src/ui/store/state.ts";
import { capabilitiesFrom, type TerminalCapabilities } from "../../../src/ui/terminal/capabilities.ts";
import { pixelsFrom, pngOf } from "./pictures.ts";

const xterm = capabilitiesFrom({ TERM: "xterm-256color" }, { isTerminal: true });
const limit = { columns: 40, rows: 10 };
const usual = { images: "auto", ascii: false, isScreenReader: false } as const;

function drawnBy(
  known: Partial<TerminalCapabilities>,
  options: Partial<Parameters<typeof imageOptions>[1]> = {},
) {
  const found = imageOptions({ ...xterm, ...known }, { ...usual, ...options }, limit);
  if (found === undefined) return "named";
  const { protocol = "blocks", hasCells } = found;
  return protocol === "kitty" && hasCells === true ? "kitty cells" : protocol;
}

describe("how pictures are drawn", () => {
  test("by what the terminal can", () => {
    expect(drawnBy({})).toBe("blocks");
    expect(drawnBy({ graphics: "sixel" })).toBe("sixel");
    expect(drawnBy({ graphics: "iterm2" })).toBe("iterm2");
    expect(drawnBy({ graphics: "kitty", version: "kitty(0.36.4)" })).toBe("kitty cells");
    expect(drawnBy({ graphics: "kitty", version: "ghostty 1.1.0" })).toBe("kitty cells");
    expect(drawnBy({ graphics: "kitty", version: "kitty(0.28.0)" })).toBe("kitty cells");
    expect(drawnBy({ graphics: "kitty", version: "kitty(1.0.0)" })).toBe("kitty cells");
    expect(drawnBy({ graphics: "kitty", version: "Konsole 24.8" })).toBe("kitty");
  });

  test("in place by a kitty from before its cells of text, and by what does not say its name", () => {
    expect(drawnBy({ graphics: "kitty", version: "kitty(0.26.5)" })).toBe("kitty");
    expect(drawnBy({ graphics: "kitty", version: undefined })).toBe("kitty");
  });

  test("with half-blocks inside of a multiplexer, unless the setting says otherwise", () => {
    expect(drawnBy({ multiplexer: "tmux", graphics: "sixel" })).toBe("blocks");
    expect(drawnBy({ multiplexer: "tmux" }, { images: "kitty" })).toBe("kitty cells");
    expect(drawnBy({ multiplexer: "screen" }, { images: "sixel" })).toBe("sixel");
  });

  test("by the setting, whatever the terminal says", () => {
    expect(drawnBy({ graphics: "kitty" }, { images: "blocks" })).toBe("blocks");
    expect(drawnBy({}, { images: "iterm2" })).toBe("iterm2");
    expect(drawnBy({ graphics: "kitty" }, { images: "off" })).toBe("named");
  });

  test("not at all with 16 colours or none, in ASCII, or for a screen reader", () => {
    expect(drawnBy({ colors: "16" })).toBe("named");
    expect(drawnBy({ colors: "none" })).toBe("named");
    expect(drawnBy({ hasUnicode: false })).toBe("named");
    expect(drawnBy({}, { ascii: true })).toBe("named");
    expect(drawnBy({ graphics: "kitty" }, { isScreenReader: true })).toBe("named");
    expect(drawnBy({ graphics: "kitty", isScreenReader: true })).toBe("named");
  });
});

const pixels = pixelsFrom(200, 100, (x, y) => [x, y, 0, 255]);
const base64 = pngOf(pixels.rgba, 200, 100).toString("base64");
const result: ToolResult = {
  isError: false,
  output: "",
  details: {},
  images: [{ mediaType: "image/png", base64 }],
};

function open({
  columns = 80,
  rows = 24,
  known = xterm,
  measured = known,
}: {
  columns?: number;
  rows?: number;
  known?: TerminalCapabilities;
  measured?: TerminalCapabilities;
} = {}) {
  const stdout = Object.assign(new PassThrough(), { columns, rows });
  const redrawn = Promise.withResolvers<readonly Picture[]>();
  const leftBehind = Promise.withResolvers<void>();
  const pictures = new Pictures({
    settings: () => usual,
    isScreenReader: usual.isScreenReader,
    stdout: stdout as unknown as WriteStream,
    known: () => Promise.resolve(known),
    measured: () => Promise.resolve(measured),
    onRedrawn: (_, drawn) => redrawn.resolve(drawn),
    onLeftBehind: () => leftBehind.resolve(),
  });
  return { stdout, pictures, redrawn: redrawn.promise, leftBehind: leftBehind.promise };
}

test("a picture fits the window, and is drawn anew for a smaller one", async () => {
  const { stdout, pictures, redrawn } = open();
  const [drawn] = await pictures.draw("a", result);
  expect([drawn?.label, drawn?.columns, drawn?.lines.length]).toEqual(["200×100 image/png", 72, 18]);
  Object.assign(stdout, { columns: 40, rows: 15 });
  pictures.resized();
  const [smaller] = await redrawn;
  expect([smaller?.columns, smaller?.lines.length]).toEqual([36, 9]);
});

test("an old kitty, which leaves pictures where they are when it breaks lines, asks for a new transcript", async () => {
  const known = { ...xterm, graphics: "kitty", version: "kitty(0.26.5)" } as const;
  const { stdout, pictures, leftBehind } = open({ known });
  const [drawn] = await pictures.draw("a", result);
  pictures.marks.stdout.write(drawn?.mark ?? "");
  Object.assign(stdout, { columns: 79 });
  pictures.resized();
  await leftBehind;
  expect(pictures.marks.erased()).toContain("\x1b_Ga=d,d=I");
});

test("an xterm that keeps the size of its cells to itself shows pictures that cover no text", async () => {
  const sixelSize = { width: 640, height: 408 };
  const { pictures, stdout } = open({ known: { ...xterm, graphics: "sixel", sixelSize } });
  // The terminal said it for the window that there was.
  Object.assign(stdout, { columns: 40, rows: 24 });
  const [drawn] = await pictures.draw("a", result);
  // 200 by 100 pixels in cells of 8 by 17.
  expect([drawn?.columns, drawn?.lines.length]).toEqual([25, 6]);
});

test("a smaller font makes pictures of more cells, though the window has as many for them as before", async () => {
  const known = { ...xterm, graphics: "sixel", cell: { width: 10, height: 20 } } as const;
  const measured = { ...known, cell: { width: 5, height: 10 } };
  const { stdout, pictures, redrawn } = open({ columns: 120, rows: 40, known, measured });
  const [drawn] = await pictures.draw("a", result);
  expect([drawn?.columns, drawn?.lines.length]).toEqual([20, 5]);
  Object.assign(stdout, { columns: 240, rows: 80 });
  pictures.resized();
  const [anew] = await redrawn;
  expect([anew?.columns, anew?.lines.length]).toEqual([40, 10]);
  const [next] = await pictures.draw("b", result);
  expect([next?.columns, next?.lines.length]).toEqual([40, 10]);
});

test("a sixel picture is no larger than the terminal takes", async () => {
  const known = {
    ...xterm,
    graphics: "sixel",
    cell: { width: 8, height: 17 },
    sixelSize: { width: 100, height: 1_000 },
  } as const;
  const [drawn] = await open({ known }).pictures.draw("a", result);
  expect([drawn?.columns, drawn?.lines.length]).toEqual([12, 3]);
});

test("what is no picture is named with the reason", async () => {
  const { pictures } = open();
  const broken = { mediaType: "image/png", base64: Buffer.from("no picture").toString("base64") };
  expect(await pictures.draw("a", { images: [broken] })).toEqual([
    {
      label: "image/png",
      lines: [],
      columns: 0,
      mark: "",
      problem: "unrecognised format (expected JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF)",
    },
  ]);
});

test("of an earlier session the pictures of its newest calls are drawn", async () => {
  const { pictures } = open();
  const events = Array.from({ length: 10 }, (_, at): AgentEvent => {
    return { type: "tool_result", id: String(at), name: "python", result };
  });
  const all = await withPictures([{ type: "notice", text: "hello" }, ...events], pictures);
  expect(all.filter(({ type }) => type === "pictures")).toHaveLength(8);
  expect(all.slice(0, 4).map(({ type }) => type)).toEqual([
    "notice",
    "tool_result",
    "tool_result",
    "pictures",
  ]);
});
