/** The prompt as an editor, and the commands that tell or act in a line. */

import { expect, test } from "bun:test";
import { answerWith, done, ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { type ScriptTurn, scriptModel } from "../support/script-model.ts";

const noPython = { PI_PY: "0" };

/** Where omp rings. */
async function opened(turns: readonly ScriptTurn[] = [], args: readonly string[] = []): Promise<Screen> {
  const place = temporaryPlace();
  ringWhenDone(place);
  const screen = openScreen({
    place,
    args: ["-m", scriptModel(place, turns), ...args],
    env: noPython,
    rows: 40,
  });
  await screen.waitFor("no Python");
  return screen;
}

test("words and lines are moved over, killed, yanked, and all of it is undone", async () => {
  const screen = await opened();
  screen.type("one two three");
  await screen.waitFor("❯ one two three");
  screen.type("\x17"); // Ctrl+W
  await screen.waitFor(/❯ one two$/m);
  screen.type("\x01\x19"); // Ctrl+A, Ctrl+Y
  await screen.waitFor("❯ threeone two");
  screen.type("\x1bf\x0b"); // Alt+F, Ctrl+K
  await screen.waitFor(/❯ threeone$/m);
  screen.type("\x1f"); // Ctrl+_
  await screen.waitFor("❯ threeone two");
  screen.type("\x05\x1b[D\x1b[D\x1b[D\x1b[DX"); // Ctrl+E, left over the space and the word
  await screen.waitFor("❯ threeone Xtwo");
  screen.type("\x15"); // Ctrl+U
  await screen.waitFor(/❯ two$/m);
});

test("after any keys in any rhythm the screen is as if it were drawn anew", async () => {
  const screen = await opened();
  const keys = [
    "a",
    "b ",
    "日",
    "x y",
    "\x7f",
    "\x1b[D",
    "\x1b[C",
    "\x01",
    "\x05",
    "\x17",
    "\\\r",
    "\x1b\r",
    "\x1b[A",
    "\x1b[B",
    "⚠️",
  ];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let round = 0; round < 8; round += 1) {
    // Some arrive together, some are read one by one.
    for (let at = 0; at < 25; at += 1) {
      screen.type(keys[random(keys.length)] ?? "a");
      if (random(2) === 0) await new Promise(setImmediate);
    }
    const end = `end${round}`;
    screen.type(`\x1b>${end}`);
    await screen.waitFor(end);
    const typed = screen.text;
    const { length } = screen.raw;
    screen.type("\x0c");
    await screen.waitFor(({ raw }) => raw.slice(length).includes(end));
    await screen.waitFor(({ text }) => text.includes(end));
    expect(screen.text).toBe(typed);
    screen.type("\x03");
    await screen.waitFor("❯ Ask");
  }
});

test("Ctrl+R finds an earlier input, and again an older one", async () => {
  const screen = await opened();
  for (const word of ["alpha", "beta", "alphabet"]) {
    await done(screen, `!echo ${word}`);
    expect(screen.text).toContain(`  ${word}\n`);
  }
  screen.type("\x12alpha");
  await screen.waitFor("❯ !echo alphabet");
  screen.type("\x12");
  await screen.waitFor(/❯ !echo alpha$/m);
  screen.type("\r");
  await screen.waitFor(({ text }) => !text.includes("Search history") && text.includes("❯ !echo alpha\n"));
});

test("thoughts are folded to a line, dim, and Ctrl+O shows them", async () => {
  const screen = await opened([{ reasoning: "First this.\nThen that.", text: "Therefore." }]);
  await done(screen, "why");
  expect(screen.text).toContain("▸ thought (2 lines, Ctrl+O)\n\nTherefore.\n");
  screen.type("\x0f");
  await screen.waitFor("  First this.\n  Then that.\n");
  screen.type("q");
});

test("code of an answer is in colours, and a table fits", async () => {
  const code = "```python\ndef double(x):\n    return 'two', x * 2\n```";
  const screen = await opened([{ text: `${code}\n\n| name | value |\n| --- | --- |\n| one | 1 |` }]);
  await done(screen, "show");
  expect(screen.text).toContain("one  │ 1");
  const row = screen.rowOf("def double(x):");
  expect(new Set(screen.colors(row).map(({ sign }) => sign)).size).toBeGreaterThan(1);
});

test("a yes for this session holds for the same command, and for no other", async () => {
  const call = (command: string) => ({ toolCalls: [{ name: "bash", input: { command } }] });
  const turns = [call("touch made"), call("touch made"), call("touch other"), { text: "The end." }];
  const screen = await opened(turns, ["--approval", "ask"]);
  screen.type("go\r");
  await answerWith(screen, "Yes, for this session");
  await screen.waitFor("Allow bash? Not on the safe list\n  touch other\n");
  expect(screen.text.match(/✓ bash/g)).toHaveLength(2);
  await answerWith(screen, "No");
  await screen.waitFor("The end.");
});

test("/tools, /kernel, /cost, /compact and /quit", async () => {
  const screen = await opened([{ text: "An answer." }, { text: "A summary." }]);
  await done(screen, "hello");
  expect(screen.text).toContain("An answer.");
  screen.type("/tools\r");
  await screen.waitFor(/bash_output +\S/);
  screen.type("/kernel\r");
  await screen.waitFor("PI_PY asks for bash-only");
  screen.type("/cost\r");
  await screen.waitFor("Cost of this session");
  screen.type("/compact\r");
  await screen.waitFor("was replaced by a summary.");
  screen.type("/quit\r");
  expect(await screen.ended()).toBe(0);
  expect(screen.text).toMatch(/Resume with: omp --resume [0-9a-f-]{36}$/);
});
