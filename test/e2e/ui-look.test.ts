/** Colours, signs, title and notifications: what the terminal is told, and what it answers. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { openScreen, type ScreenOptions } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const noPython = { PI_PY: "0" };
const [darkCyan, lightCyan] = ["\x1b[38;2;95;215;215m", "\x1b[38;2;0;90;110m"];

async function start(options: Partial<ScreenOptions> & { readonly place?: TestPlace } = {}) {
  const { place = temporaryPlace(), env = {}, ...rest } = options;
  const turns = [{ text: "# Title\n\nA [link](https://example.org/a) and `code`." }];
  const args = ["-m", scriptModel(place, turns)];
  const screen = openScreen({ place, args, env: { ...noPython, ...env }, ...rest });
  await screen.waitFor(/script:script.json/);
  return { place, screen };
}

test("colours that a command prints are on the screen, while it runs, afterwards and when it is resumed, and nothing else of its sequences", async () => {
  const { place, screen } = await start({ env: { TERM: "xterm-256color" } });
  const printed = "printf 'a \\033[31mred\\033[8m one\\033[0m b\\033]0;mine\\007\\n'";
  screen.type(`!${printed}; until [ -e go ]; do sleep 0.05; done\r`);
  const looks = (shown = screen) => {
    const cells = shown.colors(shown.rowOf("  a red one b"));
    return [2, 4, 8, 12].map((column) => cells[column]?.sign);
  };
  await screen.waitFor(/^ {2}a red one b$/m);
  const [output, ...others] = looks();
  expect([output === 1, ...others]).toEqual([false, 1, 1, output]);
  await Bun.write(join(place.project, "go"), "");
  await screen.waitFor("✓ bash");
  expect(looks()).toEqual([output, 1, 1, output]);
  screen.type("/quit\r");
  await screen.ended();
  const env = { ...noPython, TERM: "xterm-256color" };
  const resumed = openScreen({ place, args: ["-m", "demo", "-c"], env });
  await resumed.waitFor("Resumed");
  expect(looks(resumed)).toEqual([output, 1, 1, output]);
  for (const { raw } of [screen, resumed]) {
    expect(raw).not.toContain("mine\x07");
    expect(raw).not.toContain("\x1b[8m");
  }
});

describe("the theme", () => {
  test("follows the background that the terminal answers, and redraws what stands there once", async () => {
    const { screen } = await start({ env: { COLORTERM: "truecolor" }, background: "ffff/ffff/ffff" });
    await screen.waitFor(({ raw }) => raw.includes(lightCyan));
    const colored = screen.raw.slice(screen.raw.indexOf(lightCyan));
    expect(colored).not.toContain(darkCyan);
    expect(screen.text.match(/^omp \d/gm)).toHaveLength(1);
  });

  test("is drawn once where the answer changes nothing", async () => {
    const { screen } = await start({ env: { COLORTERM: "truecolor" }, background: "0000/0000/0000" });
    screen.type("hello\r");
    await screen.waitFor("Title");
    expect(screen.raw).not.toContain(lightCyan);
    expect(screen.raw.match(/omp \d+\.\d+/g)).toHaveLength(1);
  });

  test("is that of the settings, whatever the terminal answers", async () => {
    const place = temporaryPlace();
    await Bun.write(join(place.home, ".omp/agent/omp.jsonc"), '{ "ui": { "theme": "light" } }');
    const { screen } = await start({ place, env: { COLORTERM: "truecolor" }, background: "0000/0000/0000" });
    screen.type("hello\r");
    await screen.waitFor("Title");
    expect(screen.raw).toContain(lightCyan);
    expect(screen.raw).not.toContain(darkCyan);
  });

  test.each([
    { name: "16 colours", env: { TERM: "xterm" }, expected: "\x1b[36m❯" },
    { name: "FORCE_COLOR", env: { TERM: "xterm", FORCE_COLOR: "3" }, expected: `${darkCyan}❯` },
    { name: "256 colours", env: { TERM: "xterm-256color" }, expected: "\x1b[38;5;80m❯" },
    {
      name: "16 colours on a light background",
      env: { TERM: "xterm", COLORFGBG: "0;15" },
      expected: "\x1b[34m❯",
    },
  ])("with $name", async ({ env, expected }) => {
    const { screen } = await start({ env });
    expect(screen.raw).toContain(expected);
  });

  test("NO_COLOR means none", async () => {
    const { screen } = await start({ env: { NO_COLOR: "1", COLORTERM: "truecolor" } });
    screen.type("hello\r");
    await screen.waitFor("Title");
    const colors = [...screen.raw.matchAll(/\p{Cc}\[([\d;]*)m/gu)].map((match) => match[1]);
    expect(colors.filter((code) => /^(?:3|4|9|10)/.test(code ?? ""))).toEqual([]);
  });
});

describe("links", () => {
  test("are those of the terminal where it knows them", async () => {
    const { screen } = await start({ env: { COLORTERM: "truecolor" } });
    screen.type("hello\r");
    await screen.waitFor("A link and code.");
    expect(screen.raw).toContain("\x1b]8;;https://example.org/a");
  });

  test("are written out elsewhere", async () => {
    const { screen } = await start();
    screen.type("hello\r");
    await screen.waitFor("A link (https://example.org/a) and code.");
    expect(screen.raw).not.toContain("\x1b]8;");
  });
});

describe("the title and the bell", () => {
  const longEnough = '{ "ui": { "notifyAfter": 0 } }';

  test("the title is omp's while it runs, and the old one comes back", async () => {
    const { screen } = await start();
    expect(screen.raw).toContain("\x1b[22;0t\x1b]0;omp project\x07");
    screen.type("\x04");
    await screen.ended();
    expect(screen.raw.slice(screen.raw.lastIndexOf("\x1b]0;"))).toContain("\x1b[23;0t");
  });

  test("what took long is told by a notification where the terminal shows them", async () => {
    const place = temporaryPlace();
    await Bun.write(join(place.home, ".omp/agent/omp.jsonc"), longEnough);
    const { screen } = await start({ place, env: { TERM_PROGRAM: "iTerm.app" } });
    screen.type("hello\r");
    await screen.waitFor(({ raw }) => raw.includes("\x1b]9;omp project: done\x07"));
  });

  test("and by the bell elsewhere", async () => {
    const place = temporaryPlace();
    await Bun.write(join(place.home, ".omp/agent/omp.jsonc"), longEnough);
    const { screen } = await start({ place });
    screen.type("hello\r");
    await screen.waitFor(({ bells }) => bells === 1);
  });

  test("what was quick is not told of", async () => {
    const place = temporaryPlace();
    await Bun.write(join(place.home, ".omp/agent/omp.jsonc"), '{ "ui": { "notifyAfter": 3600 } }');
    const { screen } = await start({ place });
    screen.type("hello\r");
    await screen.waitFor("Title");
    screen.type("\x04");
    await screen.ended();
    expect(screen.bells).toBe(0);
  });
});
