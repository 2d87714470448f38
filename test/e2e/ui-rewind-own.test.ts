/** `/rewind` and what the user does: own commands and cells, a turn that still runs, and programs in the background. */

import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedTurn } from "../../src/models/scripted-model.ts";
import { done, ringWhenDone, upToDate } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { stateOf } from "../support/tree-state.ts";
import { AgentPlace, bash } from "./agent-place.ts";

async function open(
  turns: readonly ScriptedTurn[],
  env: Record<string, string> = { PI_PY: "0" },
): Promise<{ readonly place: TestPlace; readonly screen: Screen }> {
  const place = temporaryPlace();
  ringWhenDone(place);
  const args = ["-m", new AgentPlace(place).script(...turns)];
  const screen = openScreen({ place, args, env, columns: 110, rows: 34 });
  await screen.waitFor("script:");
  return { place, screen };
}

/** Takes back everything to before the newest prompt. */
async function goBack(screen: Screen, prompt: string): Promise<void> {
  screen.type("/rewind\r");
  await screen.waitFor(`❯ ${prompt}\n`);
  screen.type("\r");
  await screen.waitFor(`── Before: ${prompt}`);
  screen.type("\r");
  await screen.waitFor("Went back: ");
}

describeWithPython(testPython, "the user's own", () => {
  test("commands and cells go back with their files, and come again with the undo", async () => {
    const { place, screen } = await open([{ text: "Hello." }], { VIRTUAL_ENV: testPython.venv });
    writeFileSync(join(place.project, "there"), "before\n");
    const before = stateOf(place.project);
    await done(screen, "hi");
    await done(screen, "!echo b > by-command; echo after > there");
    await done(screen, "$open('by-cell', 'w').write('c')");
    await done(screen, "$$open('by-hidden-cell', 'w').write('c')");
    await done(screen, "!!echo b > by-hidden-command");
    const after = stateOf(place.project);
    expect(Object.keys(after)).toEqual([
      "by-cell",
      "by-command",
      "by-hidden-cell",
      "by-hidden-command",
      "there",
    ]);
    await goBack(screen, "hi");
    expect(stateOf(place.project)).toEqual(before);
    screen.type("\x15");
    await screen.waitFor(/^❯ Ask/m);
    screen.type("/rewind undo\r");
    await screen.waitFor("Undone: 5 files");
    expect(stateOf(place.project)).toEqual(after);
  });
});

test("a rewind while a turn runs is refused with one line, and nothing changes", async () => {
  const { place, screen } = await open([
    { toolCalls: [bash("echo 1 > a; until [ -e go ]; do sleep 0.01; done; echo 2 > a")] },
    { text: "Finished." },
  ]);
  screen.type("work\r");
  await screen.waitFor(() => existsSync(join(place.project, "a")));
  for (const [at, command] of ["/rewind", "/rewind undo"].entries()) {
    screen.type(`${command}\r`);
    const refusal = /! Something else is running; press Esc to stop it\./g;
    await screen.waitFor(({ text }) => text.match(refusal)?.length === at + 1);
    expect(screen.text).not.toContain("Go back to");
  }
  writeFileSync(join(place.project, "go"), "");
  await screen.waitFor("Finished.");
  expect(readFileSync(join(place.project, "a"), "utf8")).toBe("2\n");
});

test("a background shell that still runs is named as not taken back", async () => {
  const { place, screen } = await open([
    { toolCalls: [bash("echo 1 > a; exec sleep 1000", { run_in_background: true })] },
    { text: "Started." },
  ]);
  await done(screen, "start it");
  await screen.waitFor(() => existsSync(join(place.project, "a")));
  await upToDate(screen);
  await goBack(screen, "start it");
  await screen.waitFor(({ text }) =>
    /Not taken back: .*1 background shell that still runs/.test(text.replace(/\s+/g, " ")),
  );
  expect(existsSync(join(place.project, "a"))).toBe(false);
});
