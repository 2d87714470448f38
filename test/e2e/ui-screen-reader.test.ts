/** For a screen reader: words instead of signs, and nothing that was read changes. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryPlace } from "../support/home.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const answer = "# Found\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n> quoted\n\n---\n\nThe end.";
const turns = [
  { toolCalls: [{ name: "bash", input: { command: "printf 'one\\ntwo\\n'; exit 3", description: "Look" } }] },
  { text: answer },
];

function open(
  options: { readonly env?: Record<string, string>; readonly args?: readonly string[] } = {},
): Screen {
  const place = temporaryPlace();
  const args = ["-m", scriptModel(place, turns), ...(options.args ?? ["--screen-reader"])];
  return openScreen({ place, args, env: { PI_PY: "0", ...options.env }, rows: 50 });
}

/** Times are others each time. */
const steady = (text: string) => text.replace(/(?:\d+ minutes? )?\d+(?:\.\d+)? seconds?/g, "N seconds");

describe("the screen reader mode", () => {
  test("says a session in lines", async () => {
    const screen = open();
    await screen.waitFor("The model is");
    screen.type("go\r");
    await screen.waitFor("The end.\n");
    expect(steady(screen.text)).toMatchSnapshot();
  });

  test("draws nothing but words, and says nothing twice", async () => {
    const screen = open();
    screen.type("go\r");
    await screen.waitFor("The end.\n");
    screen.type("\x0f");
    await screen.waitFor("Output is now read in full.");
    expect(screen.raw.match(/[^\0-\x7f]/gu)).toBeNull();
    const lines = Bun.stripANSI(screen.raw).split(/[\r\n]+/);
    for (const once of ["bash, Look, running", "The end.", "Found", "one", "two"])
      expect(lines.filter((line) => line === once)).toEqual([once]);
    // Only the line of the prompt is ever erased.
    const ups = [...screen.raw.matchAll(/\p{Cc}\[(\d+)A/gu)].map((match) => Number(match[1]));
    expect(Math.max(0, ...ups)).toBeLessThanOrEqual(1);
  });

  test("reads output line by line while it comes", async () => {
    const screen = open();
    await screen.waitFor(/^>$/m);
    screen.type("!echo first; until [ -e go ]; do sleep 0.05; done; echo second\r");
    await screen.waitFor(/^bash, running$[\s\S]*^first$/m);
    expect(screen.text).not.toMatch(/^second$/m);
    screen.type("!!touch go\r");
    screen.type("\x1b");
    await screen.waitFor(/^bash, interrupted, \d.* seconds?\b/m);
    expect(screen.text.match(/^first$/gm)).toHaveLength(1);
  });

  test("asks in words, and a list is one line", async () => {
    const screen = open({ args: ["--screen-reader", "--approval", "ask"] });
    await screen.waitFor(/^>$/m);
    screen.type("go\r");
    await screen.waitFor(
      /^Answers: Yes, Yes, for this session, Always \(exit 3\), No, No, and say why, Stop$/m,
    );
    await screen.waitFor(/^Answer 1 of \d: Yes$/m);
    screen.type("\x1b[A");
    await screen.waitFor(/^Answer \d of \d: Stop/m);
    screen.type("\x1b[A\x1b[A\r");
    await screen.waitFor("The end.\n");
    screen.type("/theme\r");
    await screen.waitFor("Theme. Type to filter, arrow keys to move, Enter to select, Escape to close.");
    await screen.waitFor(/^1 of 5: auto, match the terminal's background$/m);
    screen.type("\x1b[B");
    await screen.waitFor(/^2 of 5: dark, for a dark background$/m);
    expect(screen.text).not.toContain("1 of 5");
    screen.type("\x1b");
    await screen.waitFor(/^>$/m);
  });

  test.each([
    { name: "OMP_SCREEN_READER", env: { OMP_SCREEN_READER: "1" } },
    { name: "INK_SCREEN_READER", env: { INK_SCREEN_READER: "true" } },
  ])("by $name", async ({ env }) => {
    const screen = open({ env, args: [] });
    await screen.waitFor(/^>$/m);
    expect(screen.text).not.toContain("─");
  });

  test("by the setting", async () => {
    const place = temporaryPlace();
    await Bun.write(join(place.home, ".omp/agent/omp.jsonc"), '{ "ui": { "screenReader": true } }');
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: { PI_PY: "0" } });
    await screen.waitFor(/^>$/m);
    expect(screen.text).not.toContain("─");
  });
});
