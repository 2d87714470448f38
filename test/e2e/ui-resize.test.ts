/** The window gets another size, in an emulator that breaks lines as the terminal of VS Code does. Nothing is lost, and nothing stale stays. */

import { expect, test } from "bun:test";
import { temporaryPlace } from "../support/home.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const noPython = { PI_PY: "0" };

/** The rule above the prompt, of whatever width: there must be one. */
function rules(screen: Screen): string[] {
  return screen.allText.split("\n").filter((line) => /^─+$/.test(line));
}

async function sized(screen: Screen, columns: number, rows: number): Promise<void> {
  // The emulator has broken the old rule already, which may look like the new one.
  const drawn = screen.changed();
  screen.resize(columns, rows);
  await drawn;
  await screen.waitFor(`\n${"─".repeat(columns)}\n❯ `);
}

test("a long transcript in a window that becomes narrower, wider, lower and higher", async () => {
  const place = temporaryPlace();
  const paragraphs = Array.from({ length: 30 }, (_, at) => `Paragraph ${at}.`).join("\n\n");
  const screen = openScreen({
    place,
    args: ["-m", scriptModel(place, [{ text: paragraphs }])],
    env: noPython,
  });
  screen.type("go\r");
  await screen.waitFor("Paragraph 29.");
  await screen.waitFor(({ text }) => !text.includes("Esc interrupts"));
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
    await sized(screen, columns, rows);
    expect(rules(screen)).toEqual(["─".repeat(columns)]);
  }
  const kept = screen.allText.match(/Paragraph \d+\./g) ?? [];
  expect([...kept]).toEqual(Array.from({ length: 30 }, (_, at) => `Paragraph ${at}.`));
});

test("a short transcript below what the shell had printed, and a menu below the cursor", async () => {
  const place = temporaryPlace();
  const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
  await screen.waitFor(/script:script.json/);
  screen.type("/");
  await screen.waitFor("  /help");
  for (const columns of [60, 40, 100]) {
    await sized(screen, columns, 24);
    expect(rules(screen)).toEqual(["─".repeat(columns)]);
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
  await screen.waitFor("light");
  const lights = screen.allText.split("light").length;
  for (const columns of [50, 40, 80]) {
    screen.resize(columns, 24);
    await screen.changed();
  }
  await screen.waitFor(({ allText }) => allText.split("light").length === lights);
  screen.type("\x1b");
  await screen.waitFor("Ask for something");
  screen.type("go\r");
  await screen.waitFor("Run bash?");
  screen.resize(40, 24);
  await screen.waitFor(({ text }) => text.split("Run bash?").length === 2 && text.includes("n no"));
  screen.resize(80, 24);
  await screen.waitFor("y once · s this session");
  expect(screen.allText.split("Run bash?")).toHaveLength(2);
});

test("a window whose size changes all the time while a command floods it", async () => {
  const place = temporaryPlace();
  const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
  await screen.waitFor(/script:script.json/);
  screen.type("!for i in $(seq 1 60); do seq 1 200; sleep 0.01; done; echo the end of it\r");
  await screen.waitFor("● bash");
  for (let step = 0; !screen.allText.includes("✓ bash"); step += 1) {
    screen.resize(40 + ((step * 7) % 80), 15 + ((step * 3) % 25));
    await screen.changed();
  }
  await sized(screen, 80, 24);
  await screen.waitFor("  the end of it");
  screen.type("still here");
  await screen.waitFor("❯ still here");
});
