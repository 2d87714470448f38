/** `/rewind`, and Esc twice: picking a prompt, seeing what would change, going back, and undoing it. */

import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { done, ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";

test("files, shell and conversation go back to before a prompt, the diff is shown before, and all of it can be undone", async () => {
  const place = temporaryPlace();
  ringWhenDone(place);
  const turns = [
    { toolCalls: [{ name: "write", input: { path: "notes.txt", content: "first\n" } }] },
    { text: "Written." },
    {
      toolCalls: [
        {
          name: "bash",
          input: {
            command: `cd ${place.project} && mkdir -p sub && cd sub && export MOOD=new && echo more >> ../notes.txt && touch made`,
          },
        },
      ],
    },
    { text: "Extended." },
    { text: "Seen." },
  ];
  const script = join(place.home, "script.json");
  writeFileSync(script, JSON.stringify({ turns }));
  const args = ["-m", `script:${script}`];
  const screen = openScreen({ place, args, env: { PI_PY: "0" }, columns: 100, rows: 34 });
  await screen.waitFor("script:");
  const notes = join(place.project, "notes.txt");
  await done(screen, "write notes");
  await done(screen, "!export MOOD=old; cd /tmp");
  await done(screen, "extend them");
  expect(readFileSync(notes, "utf8")).toBe("first\nmore\n");

  screen.type("/rewind\r");
  await screen.waitFor(/❯ extend them\n {2}write notes\n/);
  screen.type("\r");
  await screen.waitFor("── Before: extend them");
  expect(screen.text).toMatch(/❯ Everything +files, shell, conversation\n/);
  expect(screen.text).toMatch(/ {2}Files +2 files, \+0 -1: notes\.txt, sub\/made\n/);
  expect(screen.text).toMatch(/ {2}Conversation +1 prompt and 1 call left out\n/);
  screen.type("\x1b[B".repeat(5));
  await screen.waitFor("❯ See the diff");
  screen.type("\r");
  await screen.waitFor(
    ({ text }) => text.includes("What would change: 2 files, +0 -1") && text.includes("-more"),
  );
  screen.type("q");
  await screen.waitFor("❯ See the diff");
  screen.type("\x1b[A".repeat(5));
  await screen.waitFor("❯ Everything");
  screen.type("\r");
  await screen.waitFor(
    ({ text }) =>
      text.includes("Went back: 2 files, shell, 1 prompt and 1 call left out.") &&
      text.includes("❯ extend them\n"),
  );
  expect(screen.text).not.toContain("Extended.");
  expect([readFileSync(notes, "utf8"), existsSync(join(place.project, "sub"))]).toEqual(["first\n", false]);

  // The prompt that was handed back is not wanted now.
  screen.type("\x15");
  await screen.waitFor(/^❯ Ask/m);
  await done(screen, "!echo $MOOD in $PWD");
  await screen.waitFor("old in /tmp");

  screen.type("/rewind undo\r");
  await screen.waitFor(({ text }) => text.includes("Undone: 2 files") && text.includes("Extended."));
  expect(readFileSync(notes, "utf8")).toBe("first\nmore\n");
  await done(screen, "!echo $MOOD in $PWD");
  await screen.waitFor(`new in ${place.project}/sub`);

  // Files alone: the conversation stays, and the model is told.
  screen.type("/rewind\r");
  await screen.waitFor(/ {2}Undo the last rewind\n/);
  screen.type("write\r");
  await screen.waitFor("── Before: write notes");
  screen.type("\x1b[B");
  await screen.waitFor("❯ Files ");
  screen.type("\r");
  await screen.waitFor(/Went back: \d files?\. Not taken back/);
  expect(screen.text).toContain("Extended.");
  expect(existsSync(notes)).toBe(false);
});
