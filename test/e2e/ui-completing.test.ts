/** What Tab and `@` complete, and what a paste after `$` becomes: one session, key by key. */

import { expect, test } from "bun:test";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

test("arguments of commands, paths of shell commands, paths outside of the project, and code from elsewhere", async () => {
  const place = temporaryPlace();
  mkdirSync(join(place.home, "documents"));
  mkdirSync(join(place.project, "notes of mine"));
  writeFileSync(join(place.project, "notes of mine", "first.txt"), "");
  const long = Array.from({ length: 12 }, (_, at) => join(place.project, `report-${at}.csv`));
  for (const file of long) {
    writeFileSync(file, "");
    utimesSync(file, new Date(0), new Date(0));
  }
  // The newest of those that fit equally well.
  utimesSync(join(place.project, "report-7.csv"), new Date(), new Date());
  const screen = openScreen({
    place,
    args: ["-m", scriptModel(place, [])],
    env: { PI_PY: "0", ANTHROPIC_API_KEY: "none" },
  });
  await screen.waitFor("no Python");
  const clear = async () => {
    screen.type("\x15\x15");
    await screen.waitFor("❯ Ask");
  };

  screen.type("/theme \t");
  await screen.waitFor(/^❯ auto {3}match the terminal's background\n {2}dark {3}for a dark background$/m);
  screen.type("d\t");
  await screen.waitFor("❯ /theme dark\n");
  await clear();
  screen.type("/model anthropic/claude-haiku-5\t");
  await screen.waitFor("❯ /model anthropic/claude-haiku-5-5\n");
  await clear();
  screen.type("/settings ui.no\t");
  await screen.waitFor(/^❯ \/settings ui\.notify\n❯ ui\.notify .*\n {2}ui\.notifyAfter /m);
  screen.type("\x1b");
  await clear();

  screen.type("!cat no\t");
  await screen.waitFor("❯ !cat notes\\ of\\ mine/\n");
  screen.type("\t");
  await screen.waitFor("❯ !cat notes\\ of\\ mine/first.txt\n");
  await clear();

  screen.type("@~/doc");
  await screen.waitFor(/^❯ @~\/doc\n❯ @~\/documents\/$/m);
  screen.type("\t");
  await screen.waitFor(/^─+\n❯ @~\/documents\/$/m);
  await clear();
  screen.type("@../");
  await screen.waitFor(/^[❯ ] @\.\.\/project\/$/m);
  await clear();
  screen.type("@report");
  await screen.waitFor(/^❯ @report-7\.csv\n(?: {2}@report-\d+\.csv\n){7} {2}1\/12$/m);
  await clear();

  screen.type("\x12zzzz");
  await screen.waitFor("Search history: zzzz  (no match)\n");
  screen.type("\x1b");
  await screen.waitFor(({ text }) => !text.includes("Search history"));

  screen.type("$");
  screen.type("\x1b[200~    for x in y:\n        print(x)\n\n    done()\n\x1b[201~");
  await screen.waitFor("❯ $for x in y:\n      print(x)\n\n  done()\n");
  expect(screen.text).not.toContain("for x in y:\n          print");
});
