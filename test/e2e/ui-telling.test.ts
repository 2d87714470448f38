/** What omp tells of itself when it is asked, and what it takes for a question to the model. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compatible } from "../models/formats/compatible.ts";
import { serve } from "../models/wire-server.ts";
import { hasIdleKernel } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { type ScriptTurn, scriptModel } from "../support/script-model.ts";

const noPython = { PI_PY: "0" };

async function start(place: TestPlace, turns: readonly ScriptTurn[] = []): Promise<Screen> {
  const screen = openScreen({ place, args: ["-m", scriptModel(place, turns)], env: noPython, rows: 40 });
  await screen.waitFor("no Python");
  return screen;
}

test("/artifacts tells outputs by what printed them, and those of other sessions by their first words", async () => {
  const place = temporaryPlace();
  const first = await start(place);
  first.type("!seq 1 5000 | sed 's/^/row /'\r");
  await first.waitFor("truncated · ");
  first.type("/artifacts\r");
  await first.waitFor(/artifact:\/\/\w+ +44 kB, .*, bash: seq 1 5000/);
  await first.kill();
  const second = await start(place);
  second.type("/artifacts\r");
  await second.waitFor(/artifact:\/\/\w+ +44 kB, .*, row 1$/m);
});

test("/cost adds up the tokens of all requests", async () => {
  const place = temporaryPlace();
  const server = await serve(
    { body: compatible.turn({ text: ["One."] }) },
    { body: compatible.turn({ text: ["Two."] }) },
  );
  // The server tells of 60 fresh, 40 cached and 20 written tokens, each time.
  const price = { input: 10_000, output: 20_000, cacheRead: 0 };
  const endpoint = { name: "mine", baseUrl: `${server.url}/v1`, models: [{ id: "m", price }] };
  mkdirSync(join(place.home, ".omp/agent"), { recursive: true });
  writeFileSync(join(place.home, ".omp/agent/omp.jsonc"), JSON.stringify({ endpoints: [endpoint] }));
  const screen = openScreen({ place, args: ["-m", "mine/m"], env: noPython });
  await screen.waitFor("no Python");
  screen.type("go\r");
  await screen.waitFor("$1.00");
  screen.type("go on\r");
  await screen.waitFor("$2.00");
  screen.type("/cost\r");
  await screen.waitFor("  tokens   120 in, 80 from the cache, 40 out\n  cost     $2.0000");
});

describeWithPython(testPython, "with Python", () => {
  test("/kernel names the interpreter and where it is", async () => {
    const place = temporaryPlace();
    const env = { VIRTUAL_ENV: testPython.venv };
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env, columns: 300 });
    await screen.waitFor(hasIdleKernel);
    screen.type("/kernel\r");
    await screen.waitFor(`  path         ${testPython.venv}/bin/python`);
    expect(screen.text).toMatch(/ {2}state {8}idle\n {2}interpreter {2}Python [\d.]+\n {2}path/);
  });
});

test("Alt+O at a question shows all of what would run, and the question stands", async () => {
  const place = temporaryPlace();
  const code = Array.from({ length: 60 }, (_, line) => `touch file-${line}`).join("\n");
  const turns = [{ toolCalls: [{ name: "bash", input: { command: code } }] }];
  const args = ["--approval", "ask", "-m", scriptModel(place, turns)];
  // The test ends omp without a word, perhaps before it has removed what the pager read.
  const screen = openScreen({ place, args, env: { ...noPython, TMPDIR: place.home } });
  await screen.waitFor("no Python");
  screen.type("go\r");
  await screen.waitFor("❯ Yes\n");
  screen.type("\x1bo");
  await screen.waitFor(/bash, waiting for your answer.*60 lines/);
  screen.type("/file-29\r");
  await screen.waitFor(/^ *30 {2}touch file-29$/m);
  screen.type("q");
  await screen.waitFor("❯ Yes\n");
});

test("a command in the background that has ended is told of at once, and once", async () => {
  const place = temporaryPlace();
  const command = "until [ -e go ]; do sleep 0.05; done; exit 3";
  const turns = [
    { toolCalls: [{ name: "bash", input: { command, run_in_background: true } }] },
    { text: "Started." },
    { text: "I see." },
  ];
  const screen = await start(place, turns);
  screen.type("go\r");
  await screen.waitFor("Started.");
  writeFileSync(join(place.project, "go"), "");
  const told = "background shell bash_1 failed with exit code 3";
  await screen.waitFor(told);
  screen.type("and now?\r");
  await screen.waitFor("I see.");
  expect(screen.text.split(told)).toHaveLength(2);
});

test("a path at the beginning is a message, and no command; a command that is none is named", async () => {
  const screen = await start(temporaryPlace(), [{ text: "I see." }]);
  screen.type("/xyz\r");
  await screen.waitFor("Unknown command /xyz. See /help.");
  screen.type("/data/x.csv has no header\r");
  await screen.waitFor("❯ /data/x.csv has no header\n\nI see.");
});

test("what is entered after an interrupt, while the interrupted thing is still ending, runs when it has", async () => {
  const screen = await start(temporaryPlace());
  screen.type(`!sh -c "trap '' INT; echo begun; sleep 60; sleep 60"\r`);
  await screen.waitFor("  begun\n");
  screen.type("\x03");
  await screen.waitFor("Press Ctrl+C again to quit");
  screen.type("!echo after; false\r");
  await screen.waitFor(/exit code 1.*\n {2}\$ echo after; false\n {2}after\n/);
});

test("what is typed after a Ctrl+C makes the next one the first again", async () => {
  const screen = await start(temporaryPlace());
  screen.type("some words\x03");
  await screen.waitFor("Press Ctrl+C again to quit");
  screen.type("more");
  await screen.waitFor(({ text }) => text.includes("❯ more") && !text.includes("Press Ctrl+C again to quit"));
  screen.type("\x03");
  await screen.waitFor("❯ Ask");
  screen.type("still here");
  await screen.waitFor("❯ still here");
});
