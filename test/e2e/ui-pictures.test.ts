/** Pictures of cells, as a terminal gets them: by its own protocol where it has one, with half-blocks elsewhere. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ringWhenDone } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";
import { pixelsFrom, pngOf, type Rgba, readSixel } from "../ui/images/pictures.ts";

const corners: readonly Rgba[] = [
  [255, 0, 0, 255],
  [0, 255, 0, 255],
  [0, 0, 255, 255],
  [255, 255, 255, 255],
];
const cornerAt = (x: number, y: number, size: number): number =>
  (y < size / 2 ? 0 : 2) + (x < size / 2 ? 0 : 1);

/** Four squares of one colour each. */
function squares(size: number): Buffer {
  const pixels = pixelsFrom(size, size, (x, y) => corners[cornerAt(x, y, size)] ?? [0, 0, 0, 0]);
  return pngOf(pixels.rgba, size, size);
}

const picture = squares(80);
/** Of a cell of 10 by 20 pixels, so that the picture takes 8 by 4. */
const cellSize = "\x1b[6;20;10t";
const caption = /\[image 80×80 image\/png, artifact:\/\/\w+\]/;

function shownBy(png: Buffer): string {
  const base64 = png.toString("base64");
  return `print('before')\ndisplay({'image/png': '${base64}'}, raw=True)\nprint('after')`;
}

interface Opening {
  readonly answers?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly place?: TestPlace;
  readonly png?: Buffer;
}

/** A session in which the model has shown the picture. */
async function afterShowing({
  answers,
  env = {},
  place = temporaryPlace(),
  png = picture,
}: Opening): Promise<Screen> {
  const cells = [{ title: "show", code: shownBy(png) }];
  const model = scriptModel(place, [
    { toolCalls: [{ name: "python", input: { cells } }] },
    { text: "Done." },
  ]);
  const screen = openScreen({
    place,
    args: ["-m", model],
    env: { VIRTUAL_ENV: testPython.venv, ...env },
    rows: 30,
    ...(answers === undefined ? {} : { answers }),
  });
  await screen.waitFor(/^[❯>]/m);
  screen.type("show it\r");
  await screen.waitFor("Done.");
  return screen;
}

/** The lines between what was printed before and after. */
function shown({ text }: Screen): string[] {
  const lines = text.split("\n");
  return lines.slice(lines.lastIndexOf("  before") + 1, lines.lastIndexOf("  after"));
}

function payloads(raw: string, sequence: RegExp): Buffer[] {
  return [...raw.matchAll(sequence)].map(([, base64 = ""]) => Buffer.from(base64, "base64"));
}

const kittyUpload = /_Ga=T,U=1,f=100,q=2,c=8,r=4,i=\d+,m=0;(\P{Cc}*)\p{Cc}\\/gu;
const kittyDirect = /_Ga=T,f=100,q=2,C=1,c=8,r=4,i=\d+,m=0;(\P{Cc}*)\p{Cc}\\/gu;

describeWithPython(testPython, "pictures in the terminal UI", () => {
  test("kitty gets the picture once, and cells that show it", async () => {
    const screen = await afterShowing({
      answers: `\x1bP>|kitty(0.36.4)\x1b\\${cellSize}\x1b_Gi=31;OK\x1b\\\x1b[?62c`,
    });
    expect(payloads(screen.raw, kittyUpload)).toEqual([picture]);
    const cells = `  ${"\u{10EEEE}".repeat(8)}`;
    expect(shown(screen).map((line) => line.replace(/\p{M}/gu, ""))).toEqual([
      cells,
      cells,
      cells,
      cells,
      expect.stringMatching(caption),
    ]);
    const drawn = screen.raw.split("\u{10EEEE}\u0305").length;
    screen.type("\x0c");
    await screen.waitFor(
      ({ raw, text }) => raw.split("\u{10EEEE}\u0305").length > drawn && text.match(/❯ Ask/g)?.length === 1,
    );
    expect(payloads(screen.raw, kittyUpload)).toHaveLength(1);
  });

  test("another terminal with kitty's protocol gets it in place, and loses it before it is drawn anew", async () => {
    const screen = await afterShowing({
      answers: `\x1bP>|Konsole 24.08\x1b\\${cellSize}\x1b_Gi=31;OK\x1b\\\x1b[?62c`,
    });
    expect(payloads(screen.raw, kittyDirect)).toEqual([picture]);
    expect(screen.raw).toContain("\x1b7\x1b[4A\x1b[3G\x1b_Ga=T");
    expect(shown(screen)).toEqual(["", "", "", "", expect.stringMatching(caption)]);
    const { length } = screen.raw;
    screen.type("\x0c");
    await screen.waitFor(({ raw }) => payloads(raw, kittyDirect).length === 2);
    const anew = screen.raw.slice(length);
    expect(anew.search(/_Ga=d,d=I,i=\d+,q=2\p{Cc}\\/u)).toBeGreaterThan(-1);
    expect(anew.indexOf("\x1b_Ga=d")).toBeLessThan(anew.indexOf("\x1b_Ga=T"));
  });

  test("iTerm2 gets it inline", async () => {
    const screen = await afterShowing({
      env: { TERM_PROGRAM: "iTerm.app" },
      answers: `${cellSize}\x1b[?62c`,
    });
    const inline = /\]1337;File=inline=1;size=\d+;width=8;height=4;preserveAspectRatio=1:(\P{Cc}*)\p{Cc}/gu;
    expect(payloads(screen.raw, inline)).toEqual([picture]);
    expect(shown(screen)).toEqual(["", "", "", "", expect.stringMatching(caption)]);
  });

  test("a terminal that says it has sixel gets the pixels", async () => {
    const screen = await afterShowing({ answers: `${cellSize}\x1b[?62;4c` });
    const [sixel = ""] = /\p{Cc}P0;1;0q\P{Cc}*\p{Cc}\\/u.exec(screen.raw) ?? [];
    const { width, height, colors } = readSixel(sixel);
    expect([width, height]).toEqual([80, 80]);
    const names = ["100,0,0", "0,100,0", "0,0,100", "100,100,100"];
    const wrong = colors.flatMap((row, y) => row.filter((color, x) => color !== names[cornerAt(x, y, 80)]));
    expect(wrong).toEqual([]);
    expect(shown(screen)).toEqual(["", "", "", "", expect.stringMatching(caption)]);
    expect(screen.text.match(/❯ Ask/g)).toHaveLength(1);
  });

  test("any other gets half-blocks in the colours of the picture", async () => {
    const screen = await afterShowing({ env: { COLORTERM: "truecolor" }, png: squares(8) });
    const blocks = `  ${"▀".repeat(8)}`;
    expect(shown(screen).slice(0, -1)).toEqual([blocks, blocks, blocks, blocks]);
    const first = screen.text.split("\n").indexOf(blocks);
    const colors = [0, 1, 2, 3].map((row) => screen.colors(first + row).slice(2, 10));
    const [red = 0, green = 0, blue = 0, white = 0] = corners.map(([r, g, b]) => (r << 16) | (g << 8) | b);
    const row = (left: number, right: number) =>
      [left, right].flatMap((color) => Array.from({ length: 4 }, () => ({ sign: color, behind: color })));
    expect(colors).toEqual([row(red, green), row(red, green), row(blue, white), row(blue, white)]);
  });

  test.each([
    { what: "with 16 colours", env: { TERM: "xterm" } },
    { what: "with NO_COLOR", env: { NO_COLOR: "1" } },
    { what: "without UTF-8", env: { LC_ALL: "C" } },
    { what: "for a screen reader", env: { OMP_SCREEN_READER: "1" } },
  ])("it is named $what", async ({ env }) => {
    const screen = await afterShowing({ env: { ...env } });
    // A screen reader is told what the model is told.
    expect(screen.allText).toMatch(/\[image 80[×x]80 image\/png,.*artifact:\/\/\w+\]/);
    expect(screen.allText).not.toContain("▀");
  });

  test("the setting decides", async () => {
    const place = temporaryPlace();
    mkdirSync(join(place.home, ".omp/agent"), { recursive: true });
    writeFileSync(join(place.home, ".omp/agent/omp.jsonc"), JSON.stringify({ ui: { images: "off" } }));
    const answers = `\x1bP>|kitty(0.36.4)\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[?62c`;
    const screen = await afterShowing({ place, answers });
    expect(shown(screen)).toEqual([expect.stringMatching(caption)]);
    expect(screen.raw).not.toContain("\x1b_Ga=T");
  });

  test("a resumed session shows it again", async () => {
    const place = temporaryPlace();
    ringWhenDone(place);
    const first = await afterShowing({ place });
    await first.waitFor(({ bells }) => bells > 0);
    first.type("\x04");
    await first.ended();
    const [, id = ""] = /--resume (\S+)/.exec(first.text) ?? [];
    const screen = openScreen({
      place,
      args: ["-m", scriptModel(place, []), "--resume", id],
      env: { VIRTUAL_ENV: testPython.venv, TERM_PROGRAM: "iTerm.app" },
      rows: 30,
    });
    await screen.waitFor(({ text }) => text.includes("Done.") && caption.test(text));
    expect(screen.raw).toContain("\x1b]1337;File=inline=1");
  });
});
