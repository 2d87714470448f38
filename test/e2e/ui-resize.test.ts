/** The window gets another size, in an emulator that breaks lines as the terminal of VS Code does. Nothing is lost, and nothing stale stays. */

import { expect, test } from "bun:test";
import { ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const noPython = { PI_PY: "0" };

/** The rule above the prompt, of whatever width: there must be one. */
function rules(screen: Screen): string[] {
  return screen.allText.split("\n").filter((line) => /^─+$/.test(line));
}

/** Until the frame is drawn for the new size. */
async function sized(screen: Screen, columns: number, rows: number): Promise<void> {
  // The emulator has broken the old rule already, which may look like the new one.
  const { length } = screen.raw;
  screen.resize(columns, rows);
  const rule = "─".repeat(columns);
  await screen.waitFor(({ raw, text }) => raw.length > length && text.includes(`\n${rule}\n❯ `));
}

/** The same, until that is the only frame. */
async function sizedCleanly(screen: Screen, columns: number, rows: number): Promise<void> {
  await sized(screen, columns, rows);
  await screen.waitFor((now) => rules(now).join("\n") === "─".repeat(columns));
}

test("a long transcript in a window that becomes narrower, wider, lower and higher", async () => {
  const place = temporaryPlace();
  const paragraphs = Array.from({ length: 30 }, (_, at) => `Paragraph ${at}.`).join("\n\n");
  ringWhenDone(place);
  const screen = openScreen({
    place,
    args: ["-m", scriptModel(place, [{ text: paragraphs }])],
    env: noPython,
  });
  screen.type("go\r");
  await screen.waitFor(({ bells }) => bells > 0);
  screen.type("a prompt that is longer than the narrowest window is wide, and then some");
  await screen.waitFor("and then some");
  for (const [columns, rows] of [
    [50, 24],
    [40, 15],
    [120, 40],
    [60, 12],
    [80, 24],
    [45, 24],
  ] as const) {
    await sizedCleanly(screen, columns, rows);
  }
  const kept = screen.allText.match(/Paragraph \d+\./g) ?? [];
  expect([...kept]).toEqual(Array.from({ length: 30 }, (_, at) => `Paragraph ${at}.`));
});

test("a short transcript below what the shell had printed, and a menu below the cursor", async () => {
  const place = temporaryPlace();
  const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
  await screen.waitFor(/script:script.json/);
  screen.type("/");
  await screen.waitFor("❯ /help");
  for (const columns of [60, 40, 100]) {
    await sizedCleanly(screen, columns, 24);
    expect(screen.allText).toMatch(/^omp \d/);
  }
});

test("a list and a question, which have no cursor of their own in the prompt", async () => {
  const place = temporaryPlace();
  const calls = [{ name: "bash", input: { command: `touch ${"made ".repeat(12)}` } }];
  const model = scriptModel(place, [{ toolCalls: calls }]);
  const screen = openScreen({ place, args: ["-m", model, "--approval", "ask"], env: noPython });
  await screen.waitFor(/script:script.json/);
  screen.type("/theme\r");
  await screen.waitFor("Enter to select · Esc to close");
  const lights = screen.allText.split("light").length;
  for (const columns of [50, 40, 80]) {
    screen.resize(columns, 24);
    await screen.changed();
  }
  await screen.waitFor(({ allText }) => allText.split("light").length === lights);
  screen.type("\x1b");
  await screen.waitFor("Ask anything");
  screen.type("go\r");
  await screen.waitFor("Allow bash?");
  screen.resize(40, 24);
  await screen.waitFor(({ text }) => text.split("Allow bash?").length === 2 && text.includes("  Stop"));
  screen.resize(80, 24);
  await screen.waitFor(
    ({ allText, text }) =>
      text.includes("  Yes, for this session\n") && allText.split("Allow bash?").length === 2,
  );
});

test("a window whose size changes all the time while a command floods it", async () => {
  const place = temporaryPlace();
  const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
  await screen.waitFor(/script:script.json/);
  screen.type("!for i in $(seq 1 60); do seq 1 200; sleep 0.01; done; echo the end of it\r");
  await screen.waitFor("● bash");
  for (let step = 0; step < 60; step += 1) {
    screen.resize(40 + ((step * 7) % 80), 15 + ((step * 3) % 25));
    await screen.changed();
  }
  await sized(screen, 80, 24);
  await screen.waitFor(({ allText, text }) => allText.includes("✓ bash") && text.includes("  the end of it"));
  screen.type("still here");
  await screen.waitFor("❯ still here");
});
