/** Terminals without Unicode: no sign of ours is one that they cannot show. Everything that is sent is looked at, not only the end. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { answerWith } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const answer = [
  "# Title",
  "",
  "- one",
  "  - [ ] two",
  "  - [x] three",
  "",
  "> a quotation",
  "",
  "| a | b |",
  "| - | - |",
  "| 1 | 2 |",
  "",
  "---",
  "",
  "```python",
  `text = "${"long ".repeat(40)}"`,
  "```",
].join("\n");

const turns = [
  {
    reasoning: "I should look first.",
    toolCalls: [{ name: "bash", input: { command: "seq 1 3000; exit 3", description: "Count" } }],
  },
  { toolCalls: [{ name: "write", input: { path: "a.txt", content: "one\ntwo\n" } }] },
  { text: answer },
];

/** What a session can show: calls, Markdown, menus, lists, the pager, a question, hints. */
async function seeEverything(screen: Screen): Promise<void> {
  await screen.waitFor(/script:script.json/);
  screen.type("go\r");
  await screen.waitFor("Allow bash?");
  await answerWith(screen, "Yes");
  await screen.waitFor(/Allow write to \S+\?/);
  await answerWith(screen, "Yes");
  await screen.waitFor(({ text }) => text.includes("long long") && !text.includes("Esc to interrupt"));
  screen.type("\x0f");
  await screen.waitFor(/% .*q close/);
  screen.type("q");
  await screen.waitFor("> Ask");
  for (const command of ["/help", "/cost", "/tools", "/kernel", "/hotkeys", "/shells"]) {
    screen.type(command);
    await screen.waitFor(`> ${command}\n`);
    screen.type("\r");
    await screen.waitFor("> Ask anything");
  }
  await screen.waitFor(({ allText }) => allText.includes("\nBackground shells\n"));
  for (const command of ["/settings", "/theme", "/model", "/artifacts"]) {
    screen.type(`${command}\r`);
    await screen.waitFor("Enter to select");
    screen.type("\x1b[Bxyz");
    await screen.waitFor("No matches");
    screen.type("\x1b");
    await screen.waitFor("Ask anything");
  }
  screen.type("\x1bo");
  await screen.waitFor(/^ (?:artifact:\/\/\w+ - )?\d+ %, 3,000 lines - /m);
  screen.type("/2999\r");
  await screen.waitFor("  2999");
  screen.type("q");
  await screen.waitFor("Ask anything");
  screen.type("!sleep 60\r");
  await screen.waitFor("Esc to interrupt");
  screen.type("queued words\r");
  await screen.waitFor("o queued words");
  screen.type("\x1b");
  await screen.waitFor("interrupted");
  screen.type("\x03\x03");
  await screen.ended();
}

function strangers(raw: string): string[] {
  return [...new Set(raw.match(/[^\0-\x7f]/gu) ?? [])];
}

async function open(
  place: TestPlace,
  env: Readonly<Record<string, string>>,
  columns: number,
): Promise<Screen> {
  await Bun.write(join(place.project, "notes.txt"), "");
  const args = ["-m", scriptModel(place, turns), "--approval", "ask"];
  return openScreen({ place, args, env: { PI_PY: "0", ...env }, columns, rows: 24 });
}

describe("plain ASCII", () => {
  test("by the locale", async () => {
    const screen = await open(temporaryPlace(), { LC_ALL: "C" }, 80);
    await seeEverything(screen);
    expect(strangers(screen.raw)).toEqual([]);
  });

  test("by the setting, in a narrow window", async () => {
    const place = temporaryPlace();
    await Bun.write(join(place.home, ".omp/agent/omp.jsonc"), '{ "ui": { "ascii": true } }');
    const screen = await open(place, { LC_ALL: "C.UTF-8" }, 40);
    await seeEverything(screen);
    expect(strangers(screen.raw)).toEqual([]);
  });

  test("what others write stays as it is", async () => {
    const place = temporaryPlace();
    const args = ["-m", scriptModel(place, [{ text: "Grüße … 日本" }])];
    const screen = openScreen({ place, args, env: { PI_PY: "0", LC_ALL: "C" } });
    await screen.waitFor(/script:script.json/);
    screen.type("hello\r");
    await screen.waitFor("Grüße … 日本");
  });
});
